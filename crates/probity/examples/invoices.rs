//! Requirements between fields: invoices whose lines add up, drawn without rejecting any.
//!
//! `cargo test --example invoices` checks a reader and a writer of invoices; `cargo run --example invoices` shows a few.

use probity::prelude::*;
use probity::spec::Date;

#[derive(Clone, Debug, PartialEq, Spec)]
enum Payment {
    Cash,
    Card {
        #[spec(matches = "[0-9]{4}")]
        digits: String,
    },
    #[spec(require = rate == 0 || months >= 6)]
    Loan {
        #[spec(range = 1..=36)]
        months: u32,
        #[spec(range = 0..=12)]
        rate: u32,
    },
}

#[derive(Clone, Debug, PartialEq, Spec)]
#[spec(require = total == lines.iter().sum())]
#[spec(require = issued <= due)]
#[spec(require = total > 100 || payment == Payment::Cash)]
#[spec(require = customer.starts_with(initials))]
struct Invoice {
    #[spec(matches = "[A-Z]{1,2}")]
    initials: String,
    #[spec(matches = "[A-Z]{1,2}[a-z ]{0,12}")]
    customer: String,
    #[spec(len = 1..=5, range = 1..=500)]
    lines: Vec<u32>,
    #[spec(range = 1..=2_000)]
    total: u32,
    #[spec(range = "2024-01-01"..="2025-12-31")]
    issued: Date,
    #[spec(range = "2024-01-01"..="2025-12-31")]
    due: Date,
    payment: Payment,
}

fn is_valid(it: &Invoice) -> bool {
    let loan = |it: &Payment| match it {
        Payment::Loan { months, rate } => *rate == 0 || *months >= 6,
        Payment::Cash | Payment::Card { .. } => true,
    };
    it.lines.iter().sum::<u32>() == it.total
        && it.issued <= it.due
        && (it.total > 100 || it.payment == Payment::Cash)
        && it.customer.starts_with(&it.initials)
        && loan(&it.payment)
}

#[probity::test(cases = 200)]
fn invoices_are_valid(invoice: Invoice) {
    assert!(is_valid(&invoice));
}

#[probity::test(cases = 30, different = some_of(distance(invoice.total, 50), cover(invoice.payment)))]
fn different_invoices_are_valid(invoice: Invoice) {
    assert!(is_valid(&invoice));
}

#[allow(clippy::print_stdout, reason = "what an example is for")]
fn main() {
    for seed in 0..3 {
        let invoice = sample(&any::<Invoice>(), seed);
        assert!(is_valid(&invoice));
        println!("{invoice:#?}");
    }
}
