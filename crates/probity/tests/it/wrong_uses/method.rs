//! A test with a receiver.

struct Machine;

impl Machine {
    #[probity::test]
    fn works(&self, n: u8) { //~
        assert!(n == n);
    }
}
