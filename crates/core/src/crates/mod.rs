//! Types of other crates, each behind a feature with the name of its crate, which is exported here in the version that is
//! meant. They are drawn by their type, as those of the standard library are: as blanks, in lists, as fields.
//!
//! | feature | types |
//! | --- | --- |
//! | `bigdecimal` | `BigDecimal` |
//! | `bytes` | `Bytes`, `BytesMut` |
//! | `chrono` | `NaiveDate`, `NaiveTime`, `NaiveDateTime`, `DateTime<Utc>`, `DateTime<FixedOffset>`, `FixedOffset`, `TimeDelta`, `Weekday`, `Month` |
//! | `indexmap` | `IndexMap`, `IndexSet` |
//! | `ipnet` | `Ipv4Net`, `Ipv6Net`, `IpNet` |
//! | `jiff` | `Timestamp`, `Zoned`, `Span`, `SignedDuration`, `civil::{Date, Time, DateTime, Weekday}`, `tz::Offset` |
//! | `num-bigint` | `BigInt`, `BigUint` |
//! | `rust_decimal` | `Decimal` |
//! | `serde_json` | `Value`, `Number`, `Map<String, Value>` |
//! | `smallvec` | `SmallVec` |
//! | `time` | `Date`, `Time`, `PrimitiveDateTime`, `OffsetDateTime`, `UtcOffset`, `Duration`, `Weekday`, `Month` |
//! | `url` | `Url` |
//! | `uuid` | `Uuid` |
//!
//! Other types of these crates and other crates have `#[from(..)]`, and `from_arbitrary` where they are `Arbitrary`.
//!
//! ```
//! # #[cfg(feature = "uuid")] {
//! use probity_core::{any, crates::uuid::Uuid, sample};
//! let (id, others): (Uuid, Vec<Uuid>) = sample(&any(), 7);
//! assert_eq!(Uuid::from_u128(id.as_u128()), id);
//! # let _ = others;
//! # }
//! ```

/// Types that are made of what a generator makes.
#[allow(unused_macros, reason = "a build may have none of the features")]
macro_rules! made_from {
    ($($t:ty: $generator:expr, $made:pat => $make:expr;)*) => {$(
        impl crate::Generate for $t {
            fn generate(source: &mut crate::Source) -> Self {
                let generator = $generator;
                source.span(stringify!($t), crate::SpanKind::Group, |src| {
                    let $made = crate::Generator::generate(&generator, src);
                    $make
                })
            }

            fn space(spaces: &mut crate::Spaces) -> crate::Part {
                crate::Generator::space(&$generator, spaces)
            }
        }
    )*};
}

#[cfg(feature = "bigdecimal")]
mod big_decimals;
#[cfg(feature = "num-bigint")]
mod big_integers;
#[cfg(feature = "bytes")]
mod byte_strings;
#[cfg(any(feature = "chrono", feature = "jiff", feature = "time"))]
mod calendar;
#[cfg(feature = "rust_decimal")]
mod decimals;
#[cfg(feature = "serde_json")]
mod json;
#[cfg(feature = "ipnet")]
mod networks;
#[cfg(feature = "indexmap")]
mod ordered;
#[cfg(feature = "smallvec")]
mod small_lists;
#[cfg(test)]
mod tests;
#[cfg(feature = "chrono")]
mod times_of_chrono;
#[cfg(feature = "jiff")]
mod times_of_jiff;
#[cfg(feature = "time")]
mod times_of_time;
#[cfg(feature = "url")]
mod urls;
#[cfg(feature = "uuid")]
mod uuids;

#[cfg(feature = "bigdecimal")]
pub use bigdecimal;
#[cfg(feature = "bytes")]
pub use bytes;
#[cfg(feature = "chrono")]
pub use chrono;
#[cfg(feature = "indexmap")]
pub use indexmap;
#[cfg(feature = "ipnet")]
pub use ipnet;
#[cfg(feature = "jiff")]
pub use jiff;
#[cfg(feature = "num-bigint")]
pub use num_bigint;
#[cfg(feature = "rust_decimal")]
pub use rust_decimal;
#[cfg(feature = "serde_json")]
pub use serde_json;
#[cfg(feature = "smallvec")]
pub use smallvec;
#[cfg(feature = "time")]
pub use time;
#[cfg(feature = "url")]
pub use url;
#[cfg(feature = "uuid")]
pub use uuid;
