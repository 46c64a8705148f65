//! What breakpoints cost.

use std::hint::black_box;

use probity_core::{Budget, Source, search_random};
use probity_coverage::Image;

use crate::copies::{in_copy, processor_time};
use crate::targets::json as parse;

const ROUNDS: usize = 20;

/// 182 bytes.
const TEXT: &[u8] = br#"{"name":"probity","kinds":["library","command"],"version":{"major":0,"minor":1,"patch":0},"stable":false,"weight":1.2e3,"authors":[{"first":"A","last":"B"},null],"text":"a\nb\u00e9"}"#;

pub fn arm() -> Result<(), String> {
    let mut took = Vec::new();
    for _ in 0..ROUNDS {
        // From the first instruction of the copy on: what it does else takes nothing.
        took.push(number(&in_copy(true, |_| processor_time().as_nanos().to_string())?)?);
    }
    let image = Image::get()?;
    println!("text={} functions={} us={}", image.text().len(), image.functions(), median(took) / 1000.0);
    Ok(())
}

pub fn json() -> Result<(), String> {
    assert_eq!(TEXT.len(), 182);
    compare(|| {
        let calls = if cfg!(debug_assertions) { 3_000 } else { 30_000 };
        let start = processor_time();
        for _ in 0..calls {
            black_box(parse(black_box(TEXT)));
        }
        (processor_time() - start).as_nanos() as f64 / f64::from(calls)
    })
}

pub fn fast() -> Result<(), String> {
    compare(|| {
        let cases = if cfg!(debug_assertions) { 100_000 } else { 1_000_000 };
        let start = processor_time();
        let mut test = |src: &mut Source| _ = black_box(src.any::<(u64, [u8; 6])>());
        let budget = Budget { cases, rejects: 10, go_on: &mut |_| true, progress: Default::default() };
        search_random(7, &mut test, budget).expect("it is a test");
        (processor_time() - start).as_nanos() as f64 / cases as f64
    })
}

/// Prints what one unit of `work` takes without breakpoints and with them, one after the other so that a busy machine is
/// as busy for both.
fn compare(work: fn() -> f64) -> Result<(), String> {
    let mut ratios = Vec::new();
    let (mut plain, mut armed) = (Vec::new(), Vec::new());
    for round in 0..2 * ROUNDS {
        // The first run meets what there is to meet.
        let measure = |is_watched| -> Result<f64, String> {
            number(&in_copy(is_watched, |_watch| {
                work();
                work().to_string()
            })?)
        };
        let (a, b) = match round % 2 {
            0 => {
                let a = measure(false)?;
                (a, measure(true)?)
            }
            _ => {
                let b = measure(true)?;
                (measure(false)?, b)
            }
        };
        plain.push(a);
        armed.push(b);
        ratios.push(b / a);
    }
    println!("plain={:.2} armed={:.2} ratio={:.4}", median(plain), median(armed), median(ratios));
    Ok(())
}

fn number(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
