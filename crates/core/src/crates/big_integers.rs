//! Integers without bounds, of the crate `num-bigint`.

use num_bigint::{BigInt, BigUint};

use crate::any;

made_from! {
    BigUint: any::<Vec<u32>>(), digits => BigUint::new(digits);
    BigInt: (any::<BigUint>(), any::<bool>()), (it, negative) => if negative { -BigInt::from(it) } else { it.into() };
}
