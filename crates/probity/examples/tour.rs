//! A first look: finds, shrinks, explains and saves a planted bug, then runs it again.
//!
//! `cargo run --example tour`
#![allow(clippy::print_stdout, reason = "a tour talks")]

use std::path::Path;

use probity::prelude::*;

/// A line of a price list.
#[derive(Clone, Debug, PartialEq, Generate)]
struct Item {
    #[from(string('a'..='z', 0..=12))]
    name: String,
    euros: u32,
    #[from(0..100)]
    cents: u32,
}

fn write(items: &[Item]) -> String {
    items.iter().map(|it| format!("{}.{} {}\n", it.euros, it.cents, it.name)).collect()
}

fn write_fixed(items: &[Item]) -> String {
    items.iter().map(|it| format!("{}.{:02} {}\n", it.euros, it.cents, it.name)).collect()
}

/// Reads `1.5` as `1.50`, as people mean it.
fn read(text: &str) -> Option<Vec<Item>> {
    let item = |line: &str| {
        let (price, name) = line.split_once(' ')?;
        let (euros, cents) = price.split_once('.')?;
        let cents = format!("{cents:0<2}").parse().ok()?;
        Some(Item { name: name.to_string(), euros: euros.parse().ok()?, cents })
    };
    text.lines().map(item).collect()
}

/// The test: what is written can be read again. Returns the input of the first case that failed.
fn check_prices(write: fn(&[Item]) -> String, store: &Path) -> Option<Vec<Item>> {
    let mut first = None;
    let check = probity::Check::new("tour::prices_survive").seed(1).store(&*store.to_string_lossy());
    let run = || {
        check.verbose(true).run(|src: &mut Source| {
            let items = src.draw_as("items", any::<Vec<Item>>());
            let again = read(&write(&items));
            if again.as_ref() != Some(&items) {
                first.get_or_insert(items.clone());
            }
            assert_eq!(again, Some(items));
        });
    };
    // In a test of yours the panic goes on to the test harness.
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
    first
}

fn main() -> std::io::Result<()> {
    // The harness of a test shows the last panic in full; the report says enough here.
    std::panic::set_hook(Box::new(|_| ()));
    let store = std::env::temp_dir().join(format!("probity-tour-{}", std::process::id()));

    println!("A shop writes its price list as text and reads it again. One format string has a bug:\n");
    println!("    format!(\"{{}}.{{}} {{}}\\n\", it.euros, it.cents, it.name)\n");
    println!("The test leaves the list blank: it draws items, writes them, reads them, and compares.\n");
    println!("--- 1. The search fills in the blank until a case fails. Then it shrinks and explains.\n");
    let first = check_prices(write, &store).unwrap_or_default();
    println!("\nThe list was {} items long when it was found; this one is the simplest.", first.len());
    println!("`_` stands for what does not matter: any name and any euros fail, but not any cents.");
    println!("In a project the last line of the report runs this case alone; the tour is not a test.\n");

    println!("--- 2. The failure is saved. In a project it lies beside Cargo.toml, to be committed:\n");
    for folder in std::fs::read_dir(&store)? {
        for file in std::fs::read_dir(folder?.path())? {
            let text = std::fs::read_to_string(file?.path())?;
            text.lines().for_each(|line| println!("    {line}"));
        }
    }

    println!("\n--- 3. The next run begins with the saved failure, and fails at once:\n");
    check_prices(write, &store);

    println!("\n--- 4. With `{{:02}}` in the format string it passes, the saved failure included:\n");
    check_prices(write_fixed, &store);

    std::fs::remove_dir_all(&store)?;
    println!("\nNext: read README.md, put `#[probity::test]` above a function of yours, run `cargo test`.");
    Ok(())
}
