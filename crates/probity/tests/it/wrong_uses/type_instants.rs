//! Times that only a clock can tell, in a field.

use std::time::Instant;

use probity::prelude::*;

#[derive(Debug, Generate)]
struct Lease {
    until: Option<Instant>, //~
}

#[probity::test]
fn leases(lease: Lease) {
    assert!(lease.until.is_none());
}
