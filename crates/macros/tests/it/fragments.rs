//! Items that a `macro_rules!` macro passes on: their parts are in groups that cannot be seen.
#![allow(dead_code)]

use probity::{any, sample};
use probity_macros::Generate;

macro_rules! types {
    ($vis:vis, $ty:ty, $weight:literal, $meta:meta, $generator:expr, $path:path) => {
        #[derive(Debug, Generate)]
        #[probity(crate = $path)]
        $vis enum Either {
            #[weight($weight)]
            Drawn($ty, #[$meta] $ty),
            #[weight(0)]
            Never,
        }

        #[derive(Debug, Generate)]
        $vis struct Both($vis $ty, #[from($generator)] $vis u8);
    };
}

macro_rules! derived {
    ($item:item) => {
        #[derive(Debug, Generate)]
        $item
    };
}

mod private {
    use super::Generate;

    types! { , bool, 1, skip, 2..3, crate::probity }
}

types! { pub(crate), (u8, u8), 0x3, from((5..=5u8, 6..=6u8)), 7 + 1..9, crate::probity }

derived! {
    struct Whole<T> where T: Copy { value: (T, u8) }
}

#[test]
fn fragments_are_read_as_what_they_are() {
    for seed in 0..50 {
        assert!(matches!(sample(&any(), seed), Either::Drawn(_, (5, 6))));
        assert_eq!(sample(&any::<Both>(), seed).1, 8);
        let _ = sample(&any::<Whole<bool>>(), seed).value;
    }
}
