//! Types of other crates as blanks, in lists and as fields. The laws of their generators are tested in core.

use probity_core::crates::{
    bigdecimal, bytes, chrono, indexmap, ipnet, jiff, num_bigint, rust_decimal, serde_json, smallvec, time,
    url, uuid,
};

use crate::Generate;

#[crate::test(crate = crate, cases = 100)]
fn numbers_are_blanks(
    a: bigdecimal::BigDecimal,
    b: num_bigint::BigInt,
    c: &num_bigint::BigUint,
    d: rust_decimal::Decimal,
) {
    assert_eq!(&a + &a, a * 2);
    assert_eq!(&b - &b, num_bigint::BigInt::ZERO);
    assert!(c >> 1 <= *c);
    assert_eq!(d.to_string().parse(), Ok(d));
}

#[crate::test(crate = crate, cases = 100)]
fn times_of_chrono_are_blanks(
    date: chrono::NaiveDate,
    time: chrono::NaiveDateTime,
    utc: chrono::DateTime<chrono::Utc>,
    zoned: Vec<chrono::DateTime<chrono::FixedOffset>>,
    delta: chrono::TimeDelta,
) {
    assert_eq!(date.to_string().parse(), Ok(date));
    assert_eq!(time.and_utc().naive_utc(), time);
    assert_eq!(chrono::DateTime::from_timestamp(utc.timestamp(), utc.timestamp_subsec_nanos()), Some(utc));
    assert!(zoned.iter().all(|it| it.to_utc() == *it));
    assert_eq!(-(-delta), delta);
}

#[crate::test(crate = crate, cases = 100)]
fn times_of_jiff_are_blanks(
    date: jiff::civil::Date,
    time: jiff::Timestamp,
    zoned: &jiff::Zoned,
    span: jiff::Span,
    duration: Option<jiff::SignedDuration>,
) {
    assert_eq!(date.to_string().parse::<jiff::civil::Date>().unwrap(), date);
    assert_eq!(time.to_zoned(jiff::tz::TimeZone::UTC).timestamp(), time);
    assert_eq!(zoned.offset().to_datetime(zoned.timestamp()), zoned.datetime());
    assert_eq!(span.negate().negate().fieldwise(), span);
    assert!(duration.is_none_or(|it| it.checked_neg().is_some()));
}

#[crate::test(crate = crate, cases = 100)]
fn times_of_time_are_blanks(
    date: time::Date,
    time: time::PrimitiveDateTime,
    zoned: time::OffsetDateTime,
    duration: time::Duration,
) {
    assert_eq!(time::Date::from_julian_day(date.to_julian_day()), Ok(date));
    assert_eq!(time::PrimitiveDateTime::new(time.date(), time.time()), time);
    assert_eq!(zoned.to_offset(time::UtcOffset::UTC), zoned);
    assert_eq!(duration - duration, time::Duration::ZERO);
}

#[crate::test(crate = crate, cases = 100)]
fn collections_are_blanks(
    bytes: bytes::Bytes,
    map: indexmap::IndexMap<u8, String, std::hash::RandomState>,
    small: smallvec::SmallVec<[u16; 4]>,
    json: serde_json::Value,
) {
    assert_eq!(bytes.slice(..), bytes);
    assert!(map.iter().enumerate().all(|(at, (key, _))| map.get_index_of(key) == Some(at)));
    assert_eq!(small.spilled(), small.len() > 4);
    // A float may be read as its neighbor.
    let text = json.to_string();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap().is_object(), json.is_object());
}

#[derive(Debug, Generate)]
#[probity(crate = crate)]
struct Visit {
    id: uuid::Uuid,
    from: Option<ipnet::IpNet>,
    page: url::Url,
}

#[crate::test(crate = crate, cases = 100)]
fn names_are_fields(visits: Vec<Visit>) {
    for Visit { id, from, page } in visits {
        assert_eq!(id.to_string().parse(), Ok(id));
        assert!(from.is_none_or(|it| it.contains(&it.addr())));
        assert_eq!(url::Url::parse(page.as_str()), Ok(page));
    }
}
