//! `Url`, of the crate `url`.

use std::net::{Ipv4Addr, Ipv6Addr};

use url::Url;

use crate::{Combine, Generator, any, from, optional, select, string, vec, weighted};

// Four of five are made of parts; the others are ones on which code is known to trip.
made_from! {
    Url: weighted([(4, parts().map(join).boxed()), (1, select(ODD_URLS).map(parse).boxed())]), it => it;
}

/// What follows the host: a path, a query and a fragment.
type End = (String, Option<String>, Option<String>);

/// A scheme, a host, a port, and what follows.
fn parts() -> impl Combine<Value = (&'static str, String, Option<u16>, End)> {
    from((select(SCHEMES), hosts(), optional(0..=u16::MAX), any::<End>()))
}

const SCHEMES: [&str; 5] = ["http", "https", "ws", "ftp", "git"];

/// Names of up to three labels, and addresses.
fn hosts() -> impl Generator<Value = String> {
    let name = vec(string('a'..='z', 1..=8), 1..=3).map(|it| it.join("."));
    let v4 = any().map(|it: Ipv4Addr| it.to_string());
    let v6 = any().map(|it: Ipv6Addr| format!("[{it}]"));
    weighted([(3, name.boxed()), (1, v4.boxed()), (1, v6.boxed())])
}

fn join((scheme, host, port, (path, query, fragment)): (&str, String, Option<u16>, End)) -> Url {
    let mut res = parse(&format!("{scheme}://{host}/"));
    res.set_port(port).expect("there is a host");
    res.set_path(&path);
    res.set_query(query.as_deref());
    res.set_fragment(fragment.as_deref());
    res
}

fn parse(text: &str) -> Url {
    Url::parse(text).expect("a valid one")
}

const ODD_URLS: [&str; 12] = [
    "about:blank",
    "data:,",
    "mailto:a@b.c",
    "urn:isbn:0451450523",
    "file:///a%20b",
    "http://user:pass%40word@a/",
    "http://a:65535//b/../c/./?q=1&q=2#",
    "http://xn--bcher-kva.example/",
    "http://127.0.0.1:80/",
    "http://[::ffff:7f00:1]/",
    "https://a./%00%ff?%zz",
    "javascript:alert(1)",
];
