//! What semver documents of versions and requirements, with proptest.

use std::cmp::Ordering;

use proptest::prelude::*;
use semver::{BuildMetadata, Comparator, Op, Prerelease, Version, VersionReq};

const IDENTIFIERS: &str = r"(0|[1-9][0-9]{0,3}|[0-9]{0,2}[a-zA-Z-][0-9a-zA-Z-]{0,3})(\.(0|[1-9][0-9]{0,3}|[0-9]{0,2}[a-zA-Z-][0-9a-zA-Z-]{0,3})){0,2}";
const BUILD: &str = r"[0-9a-zA-Z-]{1,4}(\.[0-9a-zA-Z-]{1,4}){0,2}";

fn prereleases() -> impl Strategy<Value = Prerelease> {
    prop_oneof![Just(Prerelease::EMPTY), IDENTIFIERS.prop_map(|it| Prerelease::new(&it).unwrap())]
}

fn builds() -> impl Strategy<Value = BuildMetadata> {
    prop_oneof![Just(BuildMetadata::EMPTY), BUILD.prop_map(|it| BuildMetadata::new(&it).unwrap())]
}

fn releases() -> impl Strategy<Value = Version> {
    prop_oneof![(0..4u64, 0..4u64, 0..4u64), any::<(u64, u64, u64)>()]
        .prop_map(|(major, minor, patch)| Version::new(major, minor, patch))
}

fn versions() -> impl Strategy<Value = Version> {
    (releases(), prereleases(), builds()).prop_map(|(release, pre, build)| Version { pre, build, ..release })
}

fn comparators() -> impl Strategy<Value = Comparator> {
    let ops = prop_oneof![
        Just(Op::Exact),
        Just(Op::Greater),
        Just(Op::GreaterEq),
        Just(Op::Less),
        Just(Op::LessEq),
        Just(Op::Tilde),
        Just(Op::Caret)
    ];
    (ops, releases(), prereleases(), 1..=3).prop_map(|(op, it, pre, parts)| Comparator {
        op,
        major: it.major,
        minor: (parts > 1).then_some(it.minor),
        patch: (parts > 2).then_some(it.patch),
        pre: if parts > 2 { pre } else { Prerelease::EMPTY },
    })
}

fn requirements() -> impl Strategy<Value = VersionReq> {
    prop::collection::vec(comparators(), 0..5).prop_map(|comparators| VersionReq { comparators })
}

fn caret(it: &Version) -> VersionReq {
    VersionReq::parse(&format!("^{}.{}.{}", it.major, it.minor, it.patch)).unwrap()
}

proptest! {
    #[test]
    fn versions_survive(version in versions()) {
        prop_assert_eq!(Version::parse(&version.to_string()).unwrap(), version);
    }

    #[test]
    fn requirements_survive(req in requirements()) {
        prop_assert_eq!(VersionReq::parse(&req.to_string()).unwrap(), req);
    }

    #[test]
    fn any_text_is_a_version_or_an_error(text: String, near in r"[0-9x*^~<>=., +a-]{0,12}") {
        let _ = (Version::parse(&text), Version::parse(&near), VersionReq::parse(&text), VersionReq::parse(&near));
    }

    #[test]
    fn precedence_ignores_builds(version in versions(), build in builds()) {
        let other = Version { build: build.clone(), ..version.clone() };
        prop_assert_eq!(version.cmp_precedence(&other), Ordering::Equal);
        prop_assert_eq!(version.cmp(&other), version.build.cmp(&build));
    }

    #[test]
    fn a_prerelease_is_before_its_release(release in releases(), pre in prereleases()) {
        let version = Version { pre: pre.clone(), ..release.clone() };
        prop_assert_eq!(version < release, !pre.is_empty());
    }

    #[test]
    fn numbers_are_before_words_and_fewer_before_more(number in 0..1000u32, word in "[a-z-]{1,4}", more in "[a-z]{1,3}") {
        let pre = |text: &str| Prerelease::new(text).unwrap();
        prop_assert!(pre(&number.to_string()) < pre(&word));
        prop_assert!(pre(&number.to_string()) < pre(&(number + 1).to_string()));
        let longer = format!("{word}.{more}");
        prop_assert!(pre(&word) < pre(&longer));
    }

    #[test]
    fn the_order_is_total(a in versions(), b in versions(), c in versions()) {
        prop_assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
        prop_assert_eq!(a == b, a.cmp(&b) == Ordering::Equal);
        if a <= b && b <= c {
            prop_assert!(a <= c);
        }
    }

    #[test]
    fn the_order_is_that_of_precedence_first(a in versions(), b in versions()) {
        prop_assert_eq!(a.cmp(&b), a.cmp_precedence(&b).then_with(|| a.build.cmp(&b.build)));
    }

    #[test]
    fn carets_allow_what_is_compatible(base in releases(), version in releases()) {
        let is_compatible = match (base.major, base.minor) {
            (0, 0) => version == base,
            (0, minor) => version.major == 0 && version.minor == minor && version.patch >= base.patch,
            (major, _) => version.major == major && version >= base,
        };
        prop_assert_eq!(caret(&base).matches(&version), is_compatible);
    }

    #[test]
    fn tildes_allow_patches(base in releases(), version in releases()) {
        let req = VersionReq::parse(&format!("~{base}")).unwrap();
        let is_patch = (version.major, version.minor) == (base.major, base.minor) && version.patch >= base.patch;
        prop_assert_eq!(req.matches(&version), is_patch);
    }

    #[test]
    fn exact_matches_ignore_builds(version in versions(), build in builds()) {
        let exact = Version { build: BuildMetadata::EMPTY, ..version.clone() };
        let req = VersionReq::parse(&format!("={exact}")).unwrap();
        let other = Version { build, ..version };
        prop_assert!(req.matches(&other));
    }

    #[test]
    fn a_requirement_is_all_of_its_parts(req in requirements(), version in releases()) {
        prop_assert_eq!(req.matches(&version), req.comparators.iter().all(|it| it.matches(&version)));
    }

    #[test]
    fn prereleases_match_only_where_they_are_named(req in requirements(), version in versions()) {
        prop_assume!(!version.pre.is_empty());
        let names = |it: &Comparator| {
            let same = it.major == version.major && it.minor == Some(version.minor) && it.patch == Some(version.patch);
            same && !it.pre.is_empty()
        };
        prop_assert!(!req.matches(&version) || req.comparators.iter().any(names));
    }
}
