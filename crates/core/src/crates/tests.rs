//! The laws of generators, for types of other crates: a row for each, and what some of them shrink to.

/// For each feature: a generator and the simplest that it makes; then what values that are not good shrink to.
#[allow(unused_macros, reason = "a build may have none of the features")]
macro_rules! rows {
    ($($feature:literal $test:ident {
        $($generator:expr => $simplest:expr,)+
    } $({
        $($made:expr, $good:expr => $minimum:expr,)+
    })?)+) => {$(
        #[cfg(feature = $feature)]
        #[test]
        fn $test() {
            #[allow(unused_imports, reason = "not every row maps")]
            use crate::Combine;
            use crate::any;
            use crate::generators::agreement;
            $(agreement::check(stringify!($generator), &$generator, $simplest);)+
            $($(agreement::minimum($made, $good, $minimum);)+)?
        }
    )+};
}

rows! {
    "bigdecimal" of_bigdecimal {
        any::<bigdecimal::BigDecimal>() => "BigDecimal(sign=NoSign, scale=0, digits=[])",
    }
    "bytes" of_bytes {
        any::<bytes::Bytes>() => r#"b"""#,
        any::<bytes::BytesMut>() => r#"b"""#,
    }
    "chrono" of_chrono {
        any::<chrono::NaiveDate>() => "1970-01-01",
        any::<chrono::NaiveTime>() => "00:00:00",
        any::<chrono::NaiveDateTime>() => "1970-01-01T00:00:00",
        any::<chrono::DateTime<chrono::Utc>>() => "1970-01-01T00:00:00Z",
        any::<chrono::DateTime<chrono::FixedOffset>>() => "1970-01-01T00:00:00+00:00",
        any::<chrono::FixedOffset>() => "+00:00",
        any::<chrono::TimeDelta>().map(|it| it.subsec_nanos()) => "0",
        any::<chrono::Weekday>() => "Mon",
        any::<chrono::Month>() => "January",
    } {
        any::<chrono::NaiveDate>(), |it| chrono::Datelike::year(it) < 2000 => "2000-01-01",
        any::<chrono::DateTime<chrono::Utc>>(), |it| it.timestamp() < 1000 => "1970-01-01T00:16:40Z",
    }
    "indexmap" of_indexmap {
        any::<indexmap::IndexMap<u8, bool, Fixed>>() => "{}",
        any::<indexmap::IndexSet<u8, Fixed>>() => "{}",
    } {
        any::<indexmap::IndexSet<u8, Fixed>>(), |it| it.is_sorted() => "{1, 0}",
    }
    "ipnet" of_ipnet {
        any::<ipnet::Ipv4Net>() => "0.0.0.0/0",
        any::<ipnet::Ipv6Net>() => "::/0",
        any::<ipnet::IpNet>() => "0.0.0.0/0",
    }
    "jiff" of_jiff {
        any::<jiff::Timestamp>() => "1970-01-01T00:00:00Z",
        any::<jiff::Zoned>() => "1970-01-01T00:00:00+00:00[UTC]",
        any::<jiff::Span>() => "0s",
        any::<jiff::SignedDuration>() => "0s",
        any::<jiff::civil::Date>() => "1970-01-01",
        any::<jiff::civil::Time>() => "00:00:00",
        any::<jiff::civil::DateTime>() => "1970-01-01T00:00:00",
        any::<jiff::civil::Weekday>() => "Monday",
        any::<jiff::tz::Offset>() => "00:00:00",
    } {
        any::<jiff::civil::Date>(), |it| it.year() < 1980 => "1980-01-01",
    }
    "num-bigint" of_num_bigint {
        any::<num_bigint::BigInt>() => "0",
        any::<num_bigint::BigUint>() => "0",
    } {
        any::<num_bigint::BigInt>(), |it| it.bits() < 33 => "4294967296",
    }
    "rust_decimal" of_rust_decimal {
        any::<rust_decimal::Decimal>() => "0",
    } {
        any::<rust_decimal::Decimal>(), |it| it.fract().is_zero() => "0.1",
    }
    "serde_json" of_serde_json {
        any::<serde_json::Value>() => "Null",
        any::<serde_json::Number>() => "Number(0)",
        any::<serde_json::Map<String, serde_json::Value>>() => "{}",
    } {
        any::<serde_json::Value>(), |it| it.as_array().is_none_or(Vec::is_empty) => "Array [Null]",
    }
    "smallvec" of_smallvec {
        any::<smallvec::SmallVec<[u8; 4]>>() => "[]",
    }
    "time" of_time {
        any::<time::Date>() => "1970-01-01",
        any::<time::Time>() => "0:00:00.0",
        any::<time::PrimitiveDateTime>() => "1970-01-01 0:00:00.0",
        any::<time::OffsetDateTime>() => "1970-01-01 0:00:00.0 +00:00:00",
        any::<time::UtcOffset>() => "+00:00:00",
        any::<time::Duration>().map(|it| it.whole_nanoseconds()) => "0",
        any::<time::Weekday>() => "Monday",
        any::<time::Month>() => "January",
    }
    "url" of_url {
        any::<url::Url>().map(String::from) => "\"http://a/\"",
    } {
        any::<url::Url>().map(String::from), |it| !it.contains('?') => "\"http://a/?\"",
    }
    "uuid" of_uuid {
        any::<uuid::Uuid>() => "00000000-0000-0000-0000-000000000000",
    }
}

/// A hasher without a seed of its own.
#[cfg(feature = "indexmap")]
type Fixed = std::hash::BuildHasherDefault<std::hash::DefaultHasher>;
