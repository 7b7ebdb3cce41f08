//! A document of about 64 KB for each kind of text and JSON: common ones, and those that take the most work.
//!
//! The bench measures their time, and a test of the program their fuel.

const BYTES: usize = 64 * 1024;

/// Lines up to the size, each made from its number.
fn lines(mut line: impl FnMut(usize) -> String) -> String {
    let mut text = String::new();
    for at in 0.. {
        let next = line(at);
        if text.len() + next.len() + 1 > BYTES {
            break;
        }
        text.push_str(&next);
        text.push('\n');
    }
    text
}

/// JSON of rows up to the size, each made from its number.
fn rows(mut row: impl FnMut(usize) -> String) -> String {
    let mut rows = String::from("[");
    for at in 0.. {
        let next = row(at);
        if rows.len() + next.len() + 2 > BYTES {
            break;
        }
        rows.push_str(if at > 0 { "," } else { "" });
        rows.push_str(&next);
    }
    rows + "]"
}

/// A number that looks random, and is the same in each run.
fn some(at: usize) -> usize {
    let mixed = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33) as usize
}

fn of(words: &[&'static str], at: usize) -> &'static str {
    words[some(at) % words.len()]
}

const WORDS: [&str; 24] = [
    "order", "basket", "payment", "shelf", "window", "river", "garden", "letter", "station",
    "morning", "market", "engine", "bridge", "paper", "harbour", "winter", "table", "signal",
    "village", "corner", "summer", "copper", "ladder", "meadow",
];

fn sentence(at: usize, count: usize) -> String {
    let between = ["the", "of", "and", "with", "under", "behind", "a", "near"];
    let words: Vec<&str> = (0..count)
        .map(|word| match word % 2 {
            0 => of(&between, at * 97 + word),
            _ => of(&WORDS, at * 89 + word),
        })
        .collect();
    words.join(" ")
}

/// The kinds with their names.
pub fn kinds() -> Vec<(&'static str, String)> {
    let time = |at: usize| {
        let second = at / 3;
        format!(
            "2026-03-11T{:02}:{:02}:{:02}.{:03}Z",
            second / 3600,
            second / 60 % 60,
            second % 60,
            some(at) % 1000
        )
    };
    let level = |at: usize| match some(at) % 40 {
        0 => "ERROR",
        1..=3 => "WARN",
        _ => "INFO",
    };
    let log = lines(|at| {
        let (time, level) = (time(at), level(at));
        let said = match some(at) % 6 {
            0 if level == "ERROR" => format!("cannot reach 10.0.0.{}: connection refused", at % 9),
            0 | 1 => format!("request {at} took {} ms", some(at) % 400),
            2 => format!("cache miss for key {}:{}", of(&WORDS, at), some(at) % 1000),
            3 => format!("worker-{} picked job {:08x}", at % 8, some(at)),
            4 => format!("{} stored", sentence(at, 6)),
            _ => format!("session {:x} of user {} refreshed", some(at), at % 50),
        };
        format!(
            "{time}  {level:<5}  {}  {said}",
            of(&["api", "worker", "db", "http"], at)
        )
    });
    let json_log = lines(|at| {
        format!(
            r#"{{"ts":"{}","level":"{}","service":"{}","message":"request {at} took {} ms","status":{}}}"#,
            time(at),
            level(at).to_lowercase(),
            of(&["api", "worker", "db"], at),
            some(at) % 400,
            [200, 200, 201, 404, 500][some(at) % 5]
        )
    });
    let code = lines(|at| match at % 12 {
        0 => format!("/// {} of the {}.", sentence(at, 5), of(&WORDS, at)),
        1 => format!(
            "pub fn {}_{}(&mut self, count: usize) -> Option<usize> {{",
            of(&WORDS, at),
            at / 12
        ),
        2 => format!(
            "    let mut {} = Vec::with_capacity(count * {});",
            of(&WORDS, at),
            some(at) % 90
        ),
        3 => "    for item in self.items.iter().filter(|item| item.is_open()) {".to_owned(),
        4 => format!("        if item.{} > count {{", of(&WORDS, at)),
        5 => "            return None;".to_owned(),
        6 | 9 => "        }".to_owned(),
        7 => format!(
            "        self.{}.push(item.{}());",
            of(&WORDS, at),
            of(&WORDS, at + 7)
        ),
        8 => format!("        // {}.", sentence(at, 9)),
        10 => "    Some(count)".to_owned(),
        _ => "}\n".to_owned(),
    });
    let prose = lines(|at| match at % 5 {
        4 => String::new(),
        _ => format!(
            "It was {}, and then {}.",
            sentence(at, 7),
            sentence(at + 5000, 8)
        ),
    });
    let diff = lines(|at| match at % 60 {
        0 => {
            let name = format!(
                "src/{}/{}_{}.rs",
                of(&WORDS, at),
                of(&WORDS, at + 1),
                at / 60
            );
            format!(
                "diff --git a/{name} b/{name}\nindex {:07x}..{:07x} 100644\n--- a/{name}\n+++ b/{name}",
                some(at) % 0xfff_ffff,
                some(at + 3) % 0xfff_ffff
            )
        }
        1 | 21 | 41 => format!("@@ -{at},14 +{at},15 @@ fn {}() {{", of(&WORDS, at)),
        at @ (5 | 6 | 25 | 45) => format!(
            "-    let {} = {};",
            of(&WORDS, at),
            sentence(at, 4).replace(' ', "_")
        ),
        at @ (7 | 8 | 9 | 26 | 27 | 46 | 47) => format!(
            "+    let {} = {}?;",
            of(&WORDS, at),
            sentence(at, 4).replace(' ', "_")
        ),
        _ => format!(
            "     self.{}({});",
            of(&WORDS, at),
            sentence(at, 3).replace(' ', ", ")
        ),
    });
    let hits = lines(|at| {
        let file = at / 4;
        format!(
            "src/{}/{}_{file}.rs:{}:    let {} = {};",
            of(&WORDS, file),
            of(&WORDS, file + 9),
            at % 4 * 31 + 7,
            of(&WORDS, at),
            sentence(at, 4).replace(' ', ".")
        )
    });
    let paths = lines(|at| {
        let folder = at / 9;
        format!(
            "./src/{}/{}/{}_{at}.{}",
            of(&WORDS, folder),
            of(&WORDS, folder + 3),
            of(&WORDS, at),
            of(&["rs", "ts", "py", "md"], at)
        )
    });
    let csv = format!(
        "id,name,city,amount,state,created\n{}",
        lines(|at| {
            format!(
                "{},{} {},{},{}.{:02},{},2026-0{}-1{}",
                at + 1000,
                of(&WORDS, at),
                of(&WORDS, at + 2),
                of(&WORDS, at + 4),
                some(at) % 9000,
                at % 100,
                of(&["open", "paid", "late"], at),
                at % 9 + 1,
                at % 9
            )
        })
    );
    let tests = format!(
        "============================= test session starts ==============================\nplatform linux -- Python 3.12.3, pytest-8.2.0\ncollected 900 items\n\n{}=========================== short test summary info ============================\nFAILED tests/test_order.py::test_total_7 - assert 3 == 4\n================== 2 failed, 898 passed in 12.31s ==================\n",
        lines(|at| {
            let file = at / 30;
            let how = if at % 450 == 77 { "FAILED" } else { "PASSED" };
            format!(
                "tests/{}/test_{}.py::test_{}_{} {how} [{:>3}%]",
                of(&WORDS, file),
                of(&WORDS, file + 5),
                of(&WORDS, at),
                at % 30,
                at / 9
            )
        })
    );
    let snapshot = format!(
        "- Page URL: http://127.0.0.1:8000/\n- Page Title: Shop\n- Page Snapshot\n{}",
        lines(|at| match at % 6 {
            0 => format!("- listitem [ref=e{at}]:"),
            1 => format!("  - link \"{}\" [ref=e{at}]:", sentence(at, 3)),
            2 => format!("    - /url: /{}/{at}", of(&WORDS, at)),
            3 => format!("  - heading \"{}\" [level=3] [ref=e{at}]", sentence(at, 4)),
            4 => format!("  - generic [ref=e{at}]: {}", sentence(at, 9)),
            _ => format!("  - button \"Add to basket\" [ref=e{at}] [cursor=pointer]"),
        })
    );
    let json_rows = rows(|at| {
        format!(
            r#"{{"id":{at},"title":"{}","state":"{}","author":{{"login":"{}","id":{}}},"comments":{},"created":"2026-0{}-11T08:00:00Z","labels":["{}"],"url":"https://example.com/{}/{at}"}}"#,
            sentence(at, 7),
            of(&["open", "closed"], at),
            of(&WORDS, at),
            some(at) % 9999,
            some(at) % 30,
            at % 9 + 1,
            of(&WORDS, at + 3),
            of(&WORDS, at)
        )
    });
    let hex = |at: usize, digits: usize| {
        format!("{:016x}", some(at) * 0x1_0001)[16 - digits..].to_owned()
    };
    let page = |inside: &str| {
        format!(
            "<!DOCTYPE html>\n<html><head><title>Shop</title></head><body>\n{inside}</body></html>\n"
        )
    };
    // A table that is read as data, and one that is not, inside of a table for the layout.
    let html_rows = page(&format!(
        "<h1>Orders</h1><table class=\"data\"><tr><th>Id</th><th>Name</th><th>Amount</th><th>State</th></tr>\n{}</table>",
        lines(|at| format!(
            "<tr><td>{at}</td><td><a href=\"/o/{at}\">{} {}</a></td><td class=\"num\">{}</td><td><span class=\"badge\">{}</span></td></tr>",
            of(&WORDS, at),
            of(&WORDS, at + 5),
            some(at) % 9000,
            of(&["open", "paid", "late"], at)
        ))
    ));
    let html_layout = page(&format!(
        "<table width=\"85%\"><tr><td><table>\n{}</table></td></tr></table>",
        lines(|at| format!(
            "<tr id=\"{at}\"><td align=\"right\"><span class=\"rank\">{at}.</span></td><td class=\"title\"><a href=\"https://{}.com/{at}\">{}</a></td></tr><tr><td colspan=\"2\" style=\"width:1px\"></td></tr>",
            of(&WORDS, at),
            sentence(at, 6)
        ))
    ));
    let columns = format!(
        "{:<13}{:<28}{:<8}{:<18}{:<10}AGE\n{}",
        "NAMESPACE",
        "NAME",
        "READY",
        "STATUS",
        "RESTARTS",
        lines(|at| format!(
            "{:<13}{:<28}{:<8}{:<18}{:<10}{}d",
            of(&["shop", "kube-system", "monitoring"], at),
            format!("{}-{}", of(&WORDS, at), hex(at, 9)),
            "1/1",
            if some(at).is_multiple_of(40) {
                "CrashLoopBackOff"
            } else {
                "Running"
            },
            at % 4,
            at % 90
        ))
    );
    let yaml = lines(|at| {
        let (name, word) = (of(&WORDS, at), of(&WORDS, at + 3));
        let (port, about) = (some(at) % 9999, sentence(at, 6));
        format!(
            "{name}_{at}:\n  enabled: true\n  {word}:\n    host: {name}.example.com\n    port: {port}\n    options:\n      - {name}\n      - {word}\n  # {about}\n  timeout: {}s",
            at % 90
        )
    });
    let traces = lines(|at| match at % 18 {
        0 => format!(
            "{} ERROR [{}] {}",
            time(at),
            of(&WORDS, at),
            sentence(at, 6)
        ),
        1 => format!("java.lang.IllegalStateException: {}", sentence(at, 4)),
        16 => format!("Caused by: java.io.IOException: {}", sentence(at, 3)),
        17 => "\t... 12 more".to_owned(),
        _ => {
            let (package, name) = (of(&WORDS, at), of(&WORDS, at + 1));
            format!(
                "\tat com.acme.{package}.Main.{name}(Main.java:{})",
                some(at) % 999
            )
        }
    });
    let failures = lines(|at| {
        format!(
            "Mar 11 08:{:02}:{:02} host sshd[{}]: Failed password for root from 10.0.0.{} port {} ssh2",
            at / 60 % 60,
            at % 60,
            some(at) % 9999,
            at % 99,
            some(at) % 60000
        )
    });
    let settings = lines(|at| match at % 5 {
        0 => format!("[{}.{}_{at}]", of(&WORDS, at), of(&WORDS, at + 1)),
        1 => format!("name = \"{}\"", of(&WORDS, at)),
        2 => format!("version = \"{}.{}.1\"", at % 9, at % 7),
        3 => format!(
            "features = [\"{}\", \"{}\"]",
            of(&WORDS, at),
            of(&WORDS, at + 2)
        ),
        _ => format!("count = {at}\n"),
    });
    let short = lines(|at| of(&WORDS, at)[..3].to_owned());
    let blank = lines(|at| format!("{}\n\n\n", of(&WORDS, at)));
    let sparse = rows(|at| {
        let member = |member: usize| {
            let key = some(at * 8 + member);
            format!("\"{}{}\":\"{}\"", of(&WORDS, key), key % 40, of(&WORDS, at))
        };
        format!("{{{}}}", (0..8).map(member).collect::<Vec<_>>().join(","))
    });
    let cut = json_rows[..json_rows.len() - 40].to_owned();
    vec![
        ("log", log),
        ("json-lines", json_log),
        ("code", code),
        ("prose", prose),
        ("diff", diff),
        ("hits", hits),
        ("paths", paths),
        ("csv", csv),
        ("tests", tests),
        ("snapshot", snapshot),
        ("json-rows", json_rows),
        ("html-rows", html_rows),
        ("html-layout", html_layout),
        ("columns", columns),
        ("yaml", yaml),
        ("traces", traces),
        ("failures", failures),
        ("settings", settings),
        ("short-lines", short),
        ("blank-lines", blank),
        ("json-sparse", sparse),
        ("json-cut", cut),
    ]
}
