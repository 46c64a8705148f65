//! `Uuid`, of the crate `uuid`.

use uuid::{Builder, Uuid};

use crate::{Combine, any, weighted};

// The nil one is the simplest; two of three are of version 4, as random ones are.
made_from! {
    Uuid: weighted([(1, any().map(Uuid::from_u128).boxed()), (2, any().map(version_4).boxed())]), it => it;
}

fn version_4(bytes: [u8; 16]) -> Uuid {
    Builder::from_random_bytes(bytes).into_uuid()
}
