//! The headers in every standard that they are for.

use std::path::Path;

use crate::harness::{compilers, own};

#[test]
fn every_name_compiles_without_a_warning() {
    let languages = [
        (&["gcc", "clang"], "names.c", &["-std=c11", "-std=c17"][..]),
        (&["g++", "clang++"], "names.cpp", &["-std=c++11", "-std=c++14", "-std=c++17", "-std=c++20"]),
        (&["g++", "clang++"], "ends.cpp", &["-std=c++11", "-fno-rtti"]),
    ];
    for (names, harness, standards) in languages {
        for compiler in compilers(names) {
            for standard in standards {
                let harness = own(&format!("tests/harness/{harness}"));
                compiler.compile(&[standard, "-fsyntax-only"], &[&harness]);
            }
        }
    }
}

#[test]
fn the_headers_bring_no_macro_that_others_may_have() {
    for compiler in compilers(&["g++", "clang++"]) {
        let text = "#include <probity.hpp>\n#if defined assert || defined check || defined TEST || defined LOG\n#error\n#endif\nint main() {}\n";
        let folder = probity_testkit::Folder::new();
        folder.write("a.cpp", text);
        compiler.compile(&["-std=c++11", "-fsyntax-only"], &[Path::new(&folder.path().join("a.cpp"))]);
        assert!(compiler.name().ends_with("++"));
    }
}
