//! A program beside the library.

fn main() {
    println!("{} {:?} {}", app::squares(), app::parse("[12]"), helper::sum(&[1, 2]));
}
