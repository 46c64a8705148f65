//! `Bytes` and `BytesMut`, of the crate `bytes`.

use bytes::{Bytes, BytesMut};

use crate::any;

made_from! {
    Bytes: any::<Vec<u8>>(), it => it.into();
    BytesMut: any::<Vec<u8>>(), it => BytesMut::from(&it[..]);
}
