//! Time and size for pages: `cargo bench -p markdown`. With `TAMIS_DATA=FOLDER` also for `FOLDER/**/*.html`. The time
//! includes the copy of the test bench.

use markdown::Markdown;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tamis_sdk::testing::Bench;

const RUNS: usize = 20;

/// A page in the style of a shop or a manual.
fn page(bytes: usize) -> String {
    let mut html = String::from(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Parts</title>\
         <style>body{font-family:sans-serif}</style><script>window.q=[];</script></head><body>",
    );
    for id in 0.. {
        if html.len() >= bytes {
            break;
        }
        html += &format!(
            "<article class=\"card card--wide\" data-id=\"{id}\"><h2 id=\"part-{id}\"><a href=\"/parts/{id}\">Part {id}</a></h2>\
             <p class=\"lead\">In stock: <b>{}</b>, ships within <em>{} days</em>. Use <code>part({id})</code>.</p>\
             <ul class=\"list\"><li>Weight {id} g</li><li>Colour <span style=\"color:red\">red</span></li></ul>\
             <table><tr><th>Size</th><th>Price</th></tr><tr><td>{id} mm</td><td>{id}.50 EUR</td></tr></table>\
             <pre><code class=\"language-sh\">order --part {id}\n</code></pre></article>\n",
            id % 7,
            id % 5,
        );
    }
    html + "</body></html>"
}

fn main() {
    let bench = Bench::<Markdown>::new("{}");
    let measure = |name: &str, html: &str| {
        let mut best = f64::MAX;
        let mut after = 0;
        for _ in 0..RUNS {
            let begun = Instant::now();
            after = bench.apply(html).text().len();
            best = best.min(begun.elapsed().as_secs_f64());
        }
        println!(
            "{name:<40} {:>9} → {after:>9} bytes {:>9.3} ms",
            html.len(),
            best * 1e3
        );
    };
    measure("a page of 64 KB", &page(64 << 10));
    measure("a page of 1 MB", &page(1 << 20));
    for (name, part) in [
        ("divs in divs", "<div>"),
        ("tables in tables", "<table><tr><td>"),
        ("lists in lists", "<ul><li>x"),
        ("quotes in quotes", "<blockquote>x"),
        ("marks in marks", "<b><i><a href=x><code>"),
        ("unended comments", "<!-- x "),
        ("open brackets", "<"),
        ("references", "&am"),
        ("attributes", "<a x='"),
        ("columns", "<table><tr><td colspan=1000>x</table>"),
        ("backticks", "<pre>`</pre>"),
    ] {
        let html = format!(
            "<html><body><p>word</p>{}",
            part.repeat((1 << 20) / part.len())
        );
        measure(name, &html);
    }
    if let Some(data) = std::env::var_os("TAMIS_DATA") {
        let mut files = Vec::new();
        find(Path::new(&data), &mut files);
        files.sort();
        for file in files {
            let html = fs::read(&file).expect("read a page");
            let name = file
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            measure(&name, &String::from_utf8_lossy(&html));
        }
    }
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            find(&path, files);
        } else if path.extension().is_some_and(|end| end == "html") {
            files.push(path);
        }
    }
}
