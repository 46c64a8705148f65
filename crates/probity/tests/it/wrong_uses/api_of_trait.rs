//! A table of the calls of a trait.

struct Stack;

#[probity::api]
impl Clone for Stack { //~
    fn clone(&self) -> Stack {
        Stack
    }
}
