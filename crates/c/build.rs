//! Names the shared library as it is installed, so that programs that are linked with it find it by that name.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let os = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    match &*os {
        "macos" => println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libprobity.dylib"),
        "linux" | "freebsd" => println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libprobity.so"),
        _ => {}
    }
}
