//! Networks of addresses, of the crate `ipnet`.

use std::net::{Ipv4Addr, Ipv6Addr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};

use crate::any;

// As they are written: bits beyond the prefix may be set.
made_from! {
    Ipv4Net: (any::<Ipv4Addr>(), 0..=32), (address, prefix) => Ipv4Net::new(address, prefix).expect("32 bits");
    Ipv6Net: (any::<Ipv6Addr>(), 0..=128), (address, prefix) => Ipv6Net::new(address, prefix).expect("128 bits");
    IpNet: any::<Result<Ipv4Net, Ipv6Net>>(), it => it.map_or_else(IpNet::V6, IpNet::V4);
}
