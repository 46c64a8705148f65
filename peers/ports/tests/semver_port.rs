//! What semver documents of versions and requirements, with Probity.

use std::cmp::Ordering;

use probity::prelude::*;
use semver::{BuildMetadata, Comparator, Op, Prerelease, Version, VersionReq};

const IDENTIFIERS: &str = r"(0|[1-9][0-9]{0,3}|[0-9]{0,2}[a-zA-Z-][0-9a-zA-Z-]{0,3})(\.(0|[1-9][0-9]{0,3}|[0-9]{0,2}[a-zA-Z-][0-9a-zA-Z-]{0,3})){0,2}";
const BUILD: &str = r"[0-9a-zA-Z-]{1,4}(\.[0-9a-zA-Z-]{1,4}){0,2}";

fn prerelease(src: &mut Source) -> Prerelease {
    src.draw(optional(matching(IDENTIFIERS))).map_or(Prerelease::EMPTY, |it| Prerelease::new(&it).unwrap())
}

fn build(src: &mut Source) -> BuildMetadata {
    src.draw(optional(matching(BUILD))).map_or(BuildMetadata::EMPTY, |it| BuildMetadata::new(&it).unwrap())
}

fn release(src: &mut Source) -> Version {
    let [major, minor, patch] = if src.any() { src.draw([0..4, 0..4, 0..4]) } else { src.any() };
    Version::new(major, minor, patch)
}

fn version(src: &mut Source) -> Version {
    let release = release(src);
    Version { pre: prerelease(src), build: build(src), ..release }
}

fn comparator(src: &mut Source) -> Comparator {
    let op = src
        .draw([Op::Exact, Op::Greater, Op::GreaterEq, Op::Less, Op::LessEq, Op::Tilde, Op::Caret].as_slice());
    let (it, parts) = (release(src), src.draw(1..=3));
    Comparator {
        op,
        major: it.major,
        minor: (parts > 1).then_some(it.minor),
        patch: (parts > 2).then_some(it.patch),
        pre: if parts > 2 { prerelease(src) } else { Prerelease::EMPTY },
    }
}

fn requirement(src: &mut Source) -> VersionReq {
    VersionReq { comparators: src.draw(vec(comparator, 0..5)) }
}

fn caret(it: &Version) -> VersionReq {
    VersionReq::parse(&format!("^{}.{}.{}", it.major, it.minor, it.patch)).unwrap()
}

#[probity::test]
fn versions_survive(#[from(version)] version: Version) {
    assert_eq!(Version::parse(&version.to_string()).unwrap(), version);
}

#[probity::test]
fn requirements_survive(#[from(requirement)] req: VersionReq) {
    assert_eq!(VersionReq::parse(&req.to_string()).unwrap(), req);
}

#[probity::test]
fn any_text_is_a_version_or_an_error(text: &str, #[from(r"[0-9x*^~<>=., +a-]{0,12}")] near: &str) {
    let _ = (Version::parse(text), Version::parse(near), VersionReq::parse(text), VersionReq::parse(near));
}

#[probity::test]
fn precedence_ignores_builds(#[from(version)] version: Version, #[from(build)] build: BuildMetadata) {
    let other = Version { build: build.clone(), ..version.clone() };
    assert_eq!(version.cmp_precedence(&other), Ordering::Equal);
    assert_eq!(version.cmp(&other), version.build.cmp(&build));
}

#[probity::test]
fn a_prerelease_is_before_its_release(
    #[from(release)] release: Version,
    #[from(prerelease)] pre: Prerelease,
) {
    let version = Version { pre: pre.clone(), ..release.clone() };
    assert_eq!(version < release, !pre.is_empty());
}

#[probity::test]
fn numbers_are_before_words_and_fewer_before_more(
    #[from(0..1000)] number: u32,
    #[from("[a-z-]{1,4}")] word: &str,
    #[from("[a-z]{1,3}")] more: &str,
) {
    let pre = |text: &str| Prerelease::new(text).unwrap();
    assert!(pre(&number.to_string()) < pre(word));
    assert!(pre(&number.to_string()) < pre(&(number + 1).to_string()));
    assert!(pre(word) < pre(&format!("{word}.{more}")));
}

#[probity::test]
fn the_order_is_total(#[from([version, version, version])] [a, b, c]: [Version; 3]) {
    assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
    assert_eq!(a == b, a.cmp(&b) == Ordering::Equal);
    if a <= b && b <= c {
        assert!(a <= c);
    }
}

#[probity::test]
fn the_order_is_that_of_precedence_first(#[from([version, version])] [a, b]: [Version; 2]) {
    assert_eq!(a.cmp(&b), a.cmp_precedence(&b).then_with(|| a.build.cmp(&b.build)));
}

#[probity::test]
fn carets_allow_what_is_compatible(#[from(release)] base: Version, #[from(release)] version: Version) {
    let is_compatible = match (base.major, base.minor) {
        (0, 0) => version == base,
        (0, minor) => version.major == 0 && version.minor == minor && version.patch >= base.patch,
        (major, _) => version.major == major && version >= base,
    };
    assert_eq!(caret(&base).matches(&version), is_compatible);
}

#[probity::test]
fn tildes_allow_patches(#[from(release)] base: Version, #[from(release)] version: Version) {
    let req = VersionReq::parse(&format!("~{base}")).unwrap();
    let is_patch = (version.major, version.minor) == (base.major, base.minor) && version.patch >= base.patch;
    assert_eq!(req.matches(&version), is_patch);
}

#[probity::test]
fn exact_matches_ignore_builds(#[from(version)] version: Version, #[from(build)] build: BuildMetadata) {
    let exact = Version { build: BuildMetadata::EMPTY, ..version.clone() };
    let req = VersionReq::parse(&format!("={exact}")).unwrap();
    assert!(req.matches(&Version { build, ..version }));
}

#[probity::test]
fn a_requirement_is_all_of_its_parts(
    #[from(requirement)] req: VersionReq,
    #[from(release)] version: Version,
) {
    assert_eq!(req.matches(&version), req.comparators.iter().all(|it| it.matches(&version)));
}

#[probity::test]
fn prereleases_match_only_where_they_are_named(
    #[from(requirement)] req: VersionReq,
    #[from(version)] version: Version,
) {
    assume!(!version.pre.is_empty());
    let names = |it: &Comparator| {
        let same =
            it.major == version.major && it.minor == Some(version.minor) && it.patch == Some(version.patch);
        same && !it.pre.is_empty()
    };
    assert!(!req.matches(&version) || req.comparators.iter().any(names));
}
