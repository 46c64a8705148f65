//! Malformed texts for everything that is read, by our own engine: nothing panics, nothing is taken in silence.
//! `cargo xtask quality readers` does the same with 100,000 for each.

use probity::Check;
use probity::readers::{READERS, Reader, malformed};
use probity_core::Source;
use probity_lang::readers::READERS as OF_LANG;
use probity_models::readers::READERS as OF_MODELS;
use probity_regex::readers::READERS as OF_REGEX;

/// This many for each reader here.
const CASES: u64 = 300;

fn check(reader: Reader) {
    let test = Check::new(&format!("readers::{}", reader.name))
        .cases(CASES)
        .time(std::time::Duration::from_secs(3600));
    test.engine("random").store("off").run(move |src: &mut Source| {
        let text = malformed(&reader, src);
        if let Err(broken) = (reader.read)(&text) {
            panic!("{}: {broken}\nfor {:?}", reader.name, String::from_utf8_lossy(&text));
        }
    });
}

#[test]
fn whatever_the_readers_of_specs_are_given() {
    OF_LANG.into_iter().chain(OF_REGEX).chain(OF_MODELS).for_each(check);
}

#[test]
fn whatever_our_own_readers_are_given() {
    READERS.into_iter().for_each(check);
}

#[test]
fn samples_are_taken() {
    for reader in OF_LANG.into_iter().chain(OF_REGEX).chain(OF_MODELS).chain(READERS) {
        for sample in reader.samples {
            let bytes = sample.as_bytes().to_vec();
            let bytes = reader.mend.map_or(bytes.clone(), |mend| mend(bytes));
            assert_eq!((reader.read)(&bytes), Ok(true), "{}: {sample}", reader.name);
        }
    }
}
