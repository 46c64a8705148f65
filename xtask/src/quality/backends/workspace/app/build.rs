//! Writes a table, with code of its own that has branches.

use std::{env, fs, path::Path};

fn main() {
    let squares: Vec<String> = (0..10).filter(|it| it % 3 != 1).map(|it| (it * it).to_string()).collect();
    let text = format!("pub const SQUARES: [u32; {}] = [{}];", squares.len(), squares.join(", "));
    fs::write(Path::new(&env::var_os("OUT_DIR").unwrap()).join("squares.rs"), text).unwrap();
    println!("cargo:rerun-if-changed=build.rs");
}
