//! The book: how to use Probity, chapter by chapter.
//!
//! | chapter | about |
//! | --- | --- |
//! | [Getting started](getting_started) | a first test and its first failure |
//! | [The first hour](first_hour) | ten tests in a crate of your own, as a script |
//! | [Blanks and generators](blanks) | inputs by type, by generator, by hand; what a test may say |
//! | [Reading a failure](failures) | reports, stored failures, replaying; flaky, hanging and rejecting tests |
//! | [Stateful tests](stateful) | sequences of calls, models |
//! | [Scores](scores) | searches that climb; the best input |
//! | [Every input](every_input) | all inputs, the smallest first; counting and sharing them |
//! | [Magic values](magic_values) | solving for branches |
//! | [Proofs](proofs) | tests that hold for every input |
//! | [Coverage](coverage) | searches that go where no case has been; the corpus; endless runs |
//! | [Specs and difference](specs) | declared inputs; sets in which every pair differs |
//! | [Contracts](contracts) | what a function requires and ensures, checked and tested; measures |
//! | [The command](command) | `probity generate`, `check`, `count`; `cargo probity test` |
//! | [The language of specs](language) | programs and spec files that the command reads |
//! | [Crashes and isolation](crashes) | code that may crash, exit or hang |
//! | [C and C++](c) | tests in C and C++, for those who know no Rust |
//! | [Settings](settings) | every setting, where to put it, what wins |
//! | [CI and scaling out](ci) | profiles, seeds, shards, events |
//! | [Moving over](moving_over) | proptest, quickcheck and arbitrary, construct by construct |
//! | [Cookbook](cookbook) | third-party types, async, databases, floats, golden files |
//! | [How it works](how_it_works) | one idea, and what follows from it |
//! | [The random engine](engine_random) | what random cases are like |
//! | [The exhaustive engine](engine_exhaustive) | how every input is visited |
//! | [The targeted engine](engine_targeted) | how scores are climbed |
//! | [The concolic engine](engine_concolic) | how paths are found |
//! | [The coverage engine](engine_coverage) | how code is watched |
//! | [Finding models](finding_models) | plans, cliques and solvers |
//! | [Shrinking and explaining](shrinking) | from a failing case to a report |
//! | [Figures](figures) | what was measured, with the command that measures it |
//! | [Glossary](glossary) | the words of this book |
//! | [The papers](papers) | what Probity rests on |
//!
//! The sources are Markdown files in the folder `guide` of this crate; `docs/book` makes a book of them with mdBook.

/// Where links between chapters lead in rustdoc. Chapters end with definitions of the same names for mdBook; of two
/// definitions the first wins.
macro_rules! links {
    () => {
        concat!(
            "[getting-started]: crate::guide::getting_started\n",
            "[first-hour]: crate::guide::first_hour\n",
            "[blanks]: crate::guide::blanks\n",
            "[failures]: crate::guide::failures\n",
            "[stateful]: crate::guide::stateful\n",
            "[scores]: crate::guide::scores\n",
            "[every-input]: crate::guide::every_input\n",
            "[magic-values]: crate::guide::magic_values\n",
            "[proofs]: crate::guide::proofs\n",
            "[coverage]: crate::guide::coverage\n",
            "[specs]: crate::guide::specs\n",
            "[contracts]: crate::guide::contracts\n",
            "[command]: crate::guide::command\n",
            "[language]: crate::guide::language\n",
            "[crashes]: crate::guide::crashes\n",
            "[c]: crate::guide::c\n",
            "[settings]: crate::guide::settings\n",
            "[ci]: crate::guide::ci\n",
            "[moving-over]: crate::guide::moving_over\n",
            "[cookbook]: crate::guide::cookbook\n",
            "[how-it-works]: crate::guide::how_it_works\n",
            "[engine-random]: crate::guide::engine_random\n",
            "[engine-exhaustive]: crate::guide::engine_exhaustive\n",
            "[engine-targeted]: crate::guide::engine_targeted\n",
            "[engine-concolic]: crate::guide::engine_concolic\n",
            "[engine-coverage]: crate::guide::engine_coverage\n",
            "[finding-models]: crate::guide::finding_models\n",
            "[shrinking]: crate::guide::shrinking\n",
            "[figures]: crate::guide::figures\n",
            "[glossary]: crate::guide::glossary\n",
            "[papers]: crate::guide::papers\n",
        )
    };
}

macro_rules! chapters {
    ($($module:ident = $file:literal)*) => {
        $(
            #[doc = links!()]
            #[doc = include_str!(concat!("../guide/", $file))]
            pub mod $module {}
        )*

        #[cfg(test)]
        const CHAPTERS: &[(&str, &str)] = &[$((stringify!($module), $file)),*];
    };
}

chapters! {
    getting_started = "getting-started.md"
    first_hour = "first-hour.md"
    blanks = "blanks.md"
    failures = "failures.md"
    stateful = "stateful.md"
    scores = "scores.md"
    every_input = "every-input.md"
    magic_values = "magic-values.md"
    proofs = "proofs.md"
    coverage = "coverage.md"
    specs = "specs.md"
    contracts = "contracts.md"
    command = "command.md"
    language = "language.md"
    crashes = "crashes.md"
    c = "c.md"
    settings = "settings.md"
    ci = "ci.md"
    moving_over = "moving-over.md"
    cookbook = "cookbook.md"
    how_it_works = "how-it-works.md"
    engine_random = "engine-random.md"
    engine_exhaustive = "engine-exhaustive.md"
    engine_targeted = "engine-targeted.md"
    engine_concolic = "engine-concolic.md"
    engine_coverage = "engine-coverage.md"
    finding_models = "finding-models.md"
    shrinking = "shrinking.md"
    figures = "figures.md"
    glossary = "glossary.md"
    papers = "papers.md"
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::CHAPTERS;

    /// A chapter that is forgotten somewhere is missing in the documentation or in the book.
    #[test]
    fn every_file_is_a_chapter() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("guide");
        let names = fs::read_dir(&folder).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap());
        let files: BTreeSet<String> = names.filter(|it| it != "SUMMARY.md").collect();
        let chapters: BTreeSet<String> = CHAPTERS.iter().map(|it| it.1.to_string()).collect();
        assert_eq!(files, chapters);
        let summary = fs::read_to_string(folder.join("SUMMARY.md")).unwrap();
        let listed: Vec<&str> = summary.split("](").skip(1).map(|it| it.split(')').next().unwrap()).collect();
        assert_eq!(listed, CHAPTERS.iter().map(|it| it.1).collect::<Vec<_>>());
    }

    /// rustdoc checks what [`links`] leads to; this checks what mdBook is given.
    #[test]
    fn links_lead_to_chapters() {
        let links: BTreeSet<String> =
            CHAPTERS.iter().map(|(module, _)| format!("]: crate::guide::{module}\n")).collect();
        assert!(links.iter().all(|it| links!().contains(it)), "{}", links!());
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("guide");
        for (_, file) in CHAPTERS {
            let text = fs::read_to_string(folder.join(file)).unwrap();
            for line in text.lines().filter(|it| it.starts_with('[') && it.ends_with(".md")) {
                let (name, target) = line[1..].split_once("]: ").unwrap();
                assert_eq!(format!("{name}.md"), target, "{file}");
                assert!(CHAPTERS.iter().any(|it| it.1 == target), "{file} links {target}");
                assert!(text.contains(&format!("][{name}]")), "{file} does not use the link {name}");
            }
            let prose: String = text.split("```").step_by(2).collect();
            let names = prose.split("][").skip(1).filter_map(|it| Some(it.split_once(']')?.0));
            let is_name = |it: &&str| it.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
            for name in names.filter(is_name) {
                let is_defined = text.contains(&format!("\n[{name}]: {name}.md\n"));
                assert!(is_defined, "{file} does not define the link {name}");
            }
        }
    }
}
