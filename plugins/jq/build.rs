//! Build settings for recursion. The plugins' common stack of 128 KiB is for filters that recurse little. jq programs
//! recurse through documents that nest 128 deep. So the initial memory must be larger. Function names are removed: they
//! belong to jaq, and are a fifth of the file.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = std::env::var("TARGET").unwrap_or_default();
    if target.starts_with("wasm32") {
        println!("cargo::rustc-link-arg-cdylib=-zstack-size=1048576");
        println!("cargo::rustc-link-arg-cdylib=--initial-memory=3145728");
        println!("cargo::rustc-link-arg-cdylib=--strip-all");
    }
}
