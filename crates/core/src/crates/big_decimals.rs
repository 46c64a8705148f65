//! Decimal numbers without bounds, of the crate `bigdecimal`.

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigUint;

use crate::{Combine, any, from, weighted};

// Up to two digits behind the point three times in four. With very many of them or very few, a sum fills the memory.
made_from! {
    BigDecimal: (any::<Vec<u32>>(), any::<bool>(), weighted([(3, from(0..=2).boxed()), (1, from(-50..=50).boxed())])),
        (digits, negative, scale) => {
            let it = BigDecimal::new(BigUint::new(digits).into(), scale);
            if negative { -it } else { it }
        };
}
