//! `tamis stats --html`: the content of the page, and its layout in a real browser.
//!
//! `setup.sh` installs Chromium if it can; without it the layout is not tested, and the test says so. Its pictures are
//! in `target/tmp/stats_html`.

mod browser;
mod ledgers;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use self::browser::{Browser, Scheme, WINDOW};
use self::ledgers::HOSTILE;
use crate::support::{Finished, Folder, Program};
use serde_json::Value;

/// The widths of a phone, and of a screen.
const WIDTHS: [u32; 2] = [390, 1280];

fn stats(folder: &Folder, arguments: &[&str]) -> Finished {
    let mut line = vec![env!("CARGO_BIN_EXE_tamis"), "stats"];
    line.extend(arguments);
    Program::new(&line, folder.path())
        .env("TAMIS_STATE_DIR", folder.path().join("state"))
        .env("TZ", "UTC")
        .run("")
}

fn page(folder: &Folder, arguments: &[&str]) -> String {
    let finished = stats(folder, &[&["--html", "-"], arguments].concat()).succeeded();
    String::from_utf8(finished.stdout).expect("a page is text")
}

#[track_caller]
fn says(page: &str, texts: &[&str]) {
    for text in texts {
        assert!(page.contains(text), "there is no {text:?} in {page}");
    }
}

/// All texts between two marks.
fn between<'a>(text: &'a str, begin: &str, end: &str) -> Vec<&'a str> {
    let parts = text.split(begin).skip(1);
    parts
        .filter_map(|rest| Some(rest.split_once(end)?.0))
        .collect()
}

#[test]
fn the_numbers_are_those_of_the_ledger() {
    let folder = ledgers::ordinary();
    let page = page(&folder, &[]);
    let json = stats(&folder, &["--json"]).succeeded();
    let json: Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let grouped = |name: &str| {
        let digits = json["total"][name].to_string();
        match digits.len() {
            4..=6 => format!(
                "{},{}",
                &digits[..digits.len() - 3],
                &digits[digits.len() - 3..]
            ),
            _ => digits,
        }
    };
    let tiles = between(&page, "<dd><b>", "</b>");
    let percent = json["total"]["net_saved_percent"]
        .as_f64()
        .expect("a share");
    let expected = [
        format!("{percent:.1} %"),
        grouped("tokens_before"),
        grouped("tokens_after"),
        grouped("reread_tokens"),
        grouped("listing_tokens"),
        grouped("calls"),
        grouped("failures"),
    ];
    assert_eq!(tiles, expected);
    assert!(
        json["total"]["reread_tokens"].as_u64() > Some(100),
        "{json}"
    );
    says(
        &page,
        &[
            "2099-11-01 to 2099-12-10 · server <bdi>demo</bdi>",
            "<h2>By tool</h2>",
            "<h2>By filter</h2>",
            "<h2>By client</h2>",
            "<bdi>grows</bdi>",
            // 40 before and 70 after.
            "<td data-head=\"net saved\">−30</td><td data-head=\"net %\">−75.0 %</td>",
            "1 timeout, 1 trap",
        ],
    );
    let later = self::page(&folder, &["--since", "2099-12-10"]);
    says(&later, &["<p class=\"scope\">2099-12-10 ·"]);
}

#[test]
fn a_page_needs_nothing_and_runs_nothing() {
    for folder in [ledgers::ordinary(), ledgers::hostile(), Folder::new()] {
        let page = page(&folder, &[]).to_lowercase();
        for foreign in [
            "<script", "<img", "<link", "<iframe", "http:", "https:", "url(", "@import", " src=",
            " href=",
        ] {
            // A name that was escaped may look like one.
            let plain = page.replace("&lt;img src=", "").replace("&lt;script", "");
            assert!(!plain.contains(foreign), "{foreign} is in {page}");
        }
        says(
            &page,
            &["content=\"default-src 'none'; style-src 'unsafe-inline'"],
        );
    }
}

#[test]
fn names_are_escaped_shown_and_shortened() {
    let page = page(&ledgers::hostile(), &[]);
    says(
        &page,
        &[
            "&lt;script&gt;parent.postM…",
            r"\u{202e}exe.gnp\u{1b}[2J\n",
            "<bdi>&amp;lt;b&amp;gt;</bdi>",
            "<bdi>(no name)</bdi>",
            // The whole name if it fits, else its ends beside the bar.
            "an_extremely_long_name_that_a_generator_of_tools_has_made__version_2__get_customer_by_identifier: 1 call",
            ">an_extremely_long_na…tomer_by_identifier<",
        ],
    );
    assert!(!page.contains('\u{202e}') && !page.contains('\u{1b}'));
}

#[test]
fn of_very_many_tools_the_first_are_shown_and_the_rest_together() {
    let page = page(&ledgers::crowd(), &[]);
    says(
        &page,
        &[
            "<bdi>tool_499</bdi>",
            "<em>480 others</em></th><td data-head=\"calls\">480</td>",
            "20 of 500, those with the largest savings",
            "tamis stats --by tool --json",
        ],
    );
    assert!(!page.contains("tool_200"), "it is one of the others");
}

#[test]
fn nothing_to_show_is_a_page_too() {
    let folder = Folder::new();
    let nothing = page(&folder, &[]);
    says(
        &nothing,
        &["<h2>Nothing yet</h2>", "<code>tamis run</code>"],
    );
    assert!(
        !folder.path().join("state").exists(),
        "looking made a ledger"
    );
    let folder = ledgers::single();
    let other = page(&folder, &["--server", "<b>`other`"]);
    says(
        &other,
        &[
            "<h2>Nothing matches</h2>",
            "None are of the server",
            "&lt;b&gt;",
            "demo",
        ],
    );
    let single = page(&folder, &[]);
    assert!(!single.contains("By client"), "no client said its name");
    says(&single, &["No filter failed in any of the calls."]);
}

#[test]
fn a_page_goes_where_it_is_told_to() {
    let folder = ledgers::single();
    let written = stats(&folder, &["--html", "page.html"]).succeeded();
    assert!(written.stdout.is_empty(), "{}", written.report());
    let page = std::fs::read_to_string(folder.path().join("page.html")).expect("a page");
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    for (arguments, reason) in [
        (&["--html", "none/page.html"][..], "write none/page.html"),
        (&["--html", "page.html", "--json"], "--json"),
        (&["--html", "page.html", "--by", "day"], "--by"),
    ] {
        let refused = stats(&folder, arguments);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        if refused.status.code() != Some(2) || !said.contains(reason) {
            refused.fail("it should be refused");
        }
    }
}

/// A browser's facts about a page at a width.
type Facts = BTreeMap<(String, u32), Value>;

#[test]
fn a_browser_shows_it_well() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let folder = Folder::new();
    let pages = [
        ("ordinary", ledgers::ordinary()),
        ("single", ledgers::single()),
        ("crowd", ledgers::crowd()),
        ("hostile", ledgers::hostile()),
        ("odd", ledgers::odd()),
        ("nothing", Folder::new()),
    ];
    let names: Vec<&str> = pages.iter().map(|(name, _)| *name).collect();
    for (name, ledger) in &pages {
        let page = page(ledger, &[]);
        folder.write(&format!("{name}.html"), with_facts(&page));
    }
    let frames = folder.write("frames.html", frames(&names));
    for scheme in [Scheme::Light, Scheme::Dark] {
        let facts = facts(&browser.dom(&frames, scheme));
        assert_eq!(
            facts.len(),
            names.len() * WIDTHS.len(),
            "{:?}",
            facts.keys()
        );
        for ((name, width), facts) in &facts {
            looks_right(&format!("{name} at {width}, {scheme:?}"), *width, facts);
        }
        let of = |name: &str, width| &facts[&(format!("{name}.html"), width)];
        for width in WIDTHS {
            ordinary_charts(of("ordinary", width));
            let rows = chart(of("crowd", width), "tool")["bars"].as_array();
            let drawn = |row: &Value| row["parts"].as_array().is_some_and(|it| !it.is_empty());
            let drawn = rows.expect("bars").iter().map(drawn);
            let expected = std::iter::repeat_n(true, 20).chain([false]);
            assert!(drawn.eq(expected), "the rest is said, and not drawn");
            let rows = chart(of("hostile", width), "tool")["bars"].as_array();
            assert_eq!(rows.expect("bars").len(), HOSTILE.len());
        }
    }
    pictures(&browser, &folder, &pages[0].1);
}

/// The page with a script that reports its layout. The page itself forbids scripts.
fn with_facts(page: &str) -> String {
    let (before, rest) = page
        .split_once("<meta http-equiv=\"Content-Security-Policy\"")
        .expect("a policy");
    let (_, after) = rest.split_once(">\n").expect("its end");
    let facts = include_str!("stats_html/facts.js");
    let body = after.replace("</body>", &format!("<script>{facts}</script>\n</body>"));
    format!("{before}{body}")
}

/// Every page in frames of every width, and their facts. A browser's own window has a least width.
fn frames(names: &[&str]) -> String {
    let frames = names.iter().flat_map(|name| {
        WIDTHS.map(|width| {
            format!("<iframe src=\"{name}.html\" width=\"{width}\" height=\"3000\" style=\"border:0\"></iframe>\n")
        })
    });
    let frames: String = frames.collect();
    format!(
        "<!DOCTYPE html>\n<pre id=\"facts\"></pre>\n<script>\nconst all = [];\n\
         addEventListener('message', (event) => {{\n  all.push(event.data);\n  \
         document.getElementById('facts').textContent = JSON.stringify(all);\n}});\n</script>\n{frames}"
    )
}

#[track_caller]
fn facts(dom: &str) -> Facts {
    let found = between(dom, "<pre id=\"facts\">", "</pre>");
    let text = found.first().unwrap_or_else(|| panic!("no facts in {dom}"));
    let text = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&nbsp;", "\u{a0}")
        .replace("&amp;", "&");
    let all: Vec<Value> =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let mut facts = Facts::new();
    for fact in all {
        let page = fact["page"].as_str();
        let page = page.unwrap_or_else(|| panic!("a name of a tool ran: {fact}"));
        let width = fact["width"].as_u64().expect("a width");
        facts.insert((page.to_owned(), width as u32), fact);
    }
    facts
}

/// Checks the properties of every page at every width.
#[track_caller]
fn looks_right(place: &str, width: u32, facts: &Value) {
    assert_eq!(facts["width"], width, "{place}");
    assert_eq!(facts["scrolls"], width, "{place} scrolls to the side");
    for (name, meaning) in [
        ("outside", "reaches out of the window"),
        ("cutOff", "is cut off"),
        ("small", "is too small to read"),
        ("faint", "has too little contrast to read"),
        ("pale", "has too little contrast to see"),
        ("overlapping", "overlap"),
        ("handlers", "has a handler"),
    ] {
        let found = facts[name].as_array().expect("a list");
        assert!(found.is_empty(), "{place}: {found:#?} {meaning}");
    }
    // The only script is the test's.
    assert_eq!(
        (&facts["scripts"], &facts["foreign"]),
        (&1.into(), &0.into()),
        "{place}"
    );
    assert_eq!(
        (&facts["unnamed"], &facts["untitled"]),
        (&0.into(), &0.into()),
        "{place}"
    );
    for chart in facts["charts"].as_array().expect("charts") {
        let parts = |row: &Value| row["parts"].as_array().expect("parts").clone();
        let bars = chart["bars"].as_array().expect("bars");
        let parts: Vec<Value> = bars.iter().flat_map(parts).collect();
        proportional(place, &parts, "width");
        for plot in chart["plots"].as_array().expect("plots") {
            proportional(place, plot.as_array().expect("bars"), "height");
        }
    }
}

/// Checks that every bar has the length of its number, to half a pixel.
#[track_caller]
fn proportional(place: &str, bars: &[Value], side: &str) {
    let number = |bar: &Value| bar["n"].as_f64().expect("a number").abs();
    let length = |bar: &Value| bar[side].as_f64().expect("a length");
    let Some(longest) = bars.iter().max_by(|a, b| number(a).total_cmp(&number(b))) else {
        return;
    };
    if number(longest) == 0.0 {
        return;
    }
    assert!(length(longest) > 20.0, "{place}: {longest} is hardly there");
    let scale = length(longest) / number(longest);
    for bar in bars {
        let expected = number(bar) * scale;
        assert!(
            (length(bar) - expected).abs() < 0.5,
            "{place}: {bar} should be {expected} long"
        );
    }
}

fn chart<'a>(facts: &'a Value, id: &str) -> &'a Value {
    let charts = facts["charts"].as_array().expect("charts");
    let found = charts.iter().find(|chart| chart["id"] == id);
    found.unwrap_or_else(|| panic!("no chart {id}"))
}

/// Checks the positions in the charts of the ordinary page.
#[track_caller]
fn ordinary_charts(facts: &Value) {
    for id in ["days", "tool", "filter", "client", "failures"] {
        assert_eq!(chart(facts, id)["tables"], 1, "{id} has its numbers below");
    }
    let number = |value: &Value| value.as_f64().expect("a number");
    let tools = chart(facts, "tool")["bars"].as_array().expect("bars");
    assert_eq!(tools.len(), 5);
    for row in tools {
        let part = |kind: &str| {
            let parts = row["parts"].as_array().expect("parts");
            let found = parts.iter().find(|part| part["kind"] == kind);
            found
                .unwrap_or_else(|| panic!("{row} has no {kind}"))
                .clone()
        };
        let (before, after, reread) = (part("before"), part("after"), part("reread"));
        assert!(
            (number(&before["x"]) - number(&after["x"])).abs() < 0.5,
            "{row}"
        );
        let end = number(&after["x"]) + number(&after["width"]);
        assert!((number(&reread["x"]) - end).abs() < 0.5, "{row}");
        let left_to_right = number(&tools[0]["parts"][0]["x"]);
        assert!((number(&before["x"]) - left_to_right).abs() < 0.5, "{row}");
    }
    let plots = chart(facts, "days")["plots"].as_array().expect("plots");
    let kinds = |plot: &Value, kind: &str| {
        let bars = plot.as_array().expect("bars");
        bars.iter().filter(|bar| bar["kind"] == kind).count()
    };
    let days = (0..40).filter(|days| days % 7 < 5).count();
    assert_eq!(kinds(&plots[0], "before"), days);
    assert_eq!(kinds(&plots[0], "reread"), days);
    assert_eq!(kinds(&plots[1], "saved") + kinds(&plots[1], "added"), days);
    // Bars of the one plot stand below those of the other.
    let places = |plot: &Value| -> Vec<f64> {
        let bars = plot.as_array().expect("bars").iter();
        let bars = bars.filter(|bar| {
            ["before", "saved", "added"]
                .iter()
                .any(|kind| bar["kind"] == *kind)
        });
        bars.map(|bar| number(&bar["x"])).collect()
    };
    let (above, below) = (places(&plots[0]), places(&plots[1]));
    assert!(
        above.iter().zip(&below).all(|(a, b)| (a - b).abs() < 0.5),
        "{above:?} {below:?}"
    );
}

/// Takes pictures of the page, as on a phone and on a screen, for people to look at.
fn pictures(browser: &Browser, folder: &Folder, ledger: &Folder) {
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("stats_html");
    std::fs::create_dir_all(&place).expect("make a folder");
    folder.write("picture.html", page(ledger, &[]));
    let frame = |width| {
        format!(
            "<iframe src=\"picture.html\" width=\"{width}\" height=\"{}\" style=\"border:0\"></iframe>",
            WINDOW.1
        )
    };
    let frames: String = WIDTHS.map(frame).concat();
    let body = "<!DOCTYPE html>\n<body style=\"margin:0;display:flex;gap:30px;background:#888\">";
    let both = folder.write("pictures.html", format!("{body}{frames}"));
    let shoot = |scheme: Scheme| {
        let path = place.join(format!("{scheme:?}.png"));
        browser.shoot(&both, scheme, &path);
        picture(&path)
    };
    assert_ne!(
        shoot(Scheme::Light),
        shoot(Scheme::Dark),
        "dark is not light"
    );
}

/// A picture of the whole window that is not empty.
#[track_caller]
fn picture(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).expect("a picture");
    assert!(
        bytes.starts_with(b"\x89PNG\r\n\x1a\n"),
        "{}",
        path.display()
    );
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    assert_eq!((number(16), number(20)), WINDOW, "{}", path.display());
    assert!(
        bytes.len() > 50_000,
        "{} shows next to nothing",
        path.display()
    );
    bytes
}
