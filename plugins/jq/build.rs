//! Room for recursion: the plugins' common 128 KiB of stack are for filters that recurse little, and
//! jq programs recurse through documents that nest 128 deep. Then the least memory has to hold more.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = std::env::var("TARGET").unwrap_or_default();
    if target.starts_with("wasm32") {
        println!("cargo::rustc-link-arg-cdylib=-zstack-size=1048576");
        println!("cargo::rustc-link-arg-cdylib=--initial-memory=3145728");
    }
}
