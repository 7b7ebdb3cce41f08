//! Room for recursion: the plugins' common 128 KiB of stack are for filters that recurse little, and
//! jq programs recurse through documents that nest 128 deep. Then the least memory has to hold more.
//! And no function names: they are those of jaq's insides, and a fifth of what is loaded.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = std::env::var("TARGET").unwrap_or_default();
    if target.starts_with("wasm32") {
        println!("cargo::rustc-link-arg-cdylib=-zstack-size=1048576");
        println!("cargo::rustc-link-arg-cdylib=--initial-memory=3145728");
        println!("cargo::rustc-link-arg-cdylib=--strip-all");
    }
}
