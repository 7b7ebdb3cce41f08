//! Lines of programs whose one odd value is in a list, behind a label, or between two branches.

use summary::Summary;
use tamis_sdk::testing::Bench;

#[track_caller]
fn summary(text: &str) -> String {
    let applied = Bench::<Summary>::new("{}").apply(text);
    assert!(applied.changed, "not summarised");
    applied.text().to_owned()
}

const TOPICS: [&str; 20] = [
    "api", "web", "auth", "billing", "search", "ledger", "mail", "cron", "index", "cache", "proxy",
    "queue", "media", "report", "export", "import", "sync", "audit", "stats", "notify",
];

/// What describes topics: a line for each, and below it a line for each part. `odd`: the list of the only part that differs.
fn topics(odd: &str, tab: &str) -> String {
    let mut text = String::new();
    for (at, topic) in TOPICS.iter().enumerate() {
        let topic = format!("{topic}.events");
        text.push_str(&format!("Topic: {topic}{tab}PartitionCount: 6{tab}ReplicationFactor: 3{tab}Configs: min.insync.replicas=2\n"));
        for part in 0..6 {
            // Any three of five, in any order.
            let of = |from: usize| {
                let first = from % 5;
                let second = (first + 1 + from / 5 % 4) % 5;
                let third = (0..5).filter(|it| ![first, second].contains(it));
                let third = third.cycle().nth(from / 20).unwrap_or_default();
                format!("{},{},{}", 1 + first, 1 + second, 1 + third)
            };
            let all = of((at * 31 + part * 17) % 60);
            let isr = match (at, part) {
                (7, 4) => odd.to_owned(),
                _ => of((at * 13 + part * 29) % 60),
            };
            text.push_str(&format!("{tab}Topic: {topic}{tab}Partition: {part}{tab}Leader: {}{tab}Replicas: {all}{tab}Isr: {isr}\n", 1 + part % 5));
        }
    }
    text
}

#[test]
fn a_list_shorter_than_all_others() {
    for odd in ["4", "4,2"] {
        let told = summary(&topics(odd, "\t"));
        let shown = "55: Topic: cron.events Partition: 4 Leader: ";
        assert!(told.contains(shown), "{told}");
    }
}

#[test]
fn a_metric_of_requests_that_failed() {
    let metric = |at: usize, code: &str, value: usize| {
        let service = TOPICS[at % 6];
        format!(
            "http_requests_total{{service=\"{service}\",method=\"GET\",code=\"{code}\"}} {value}\n"
        )
    };
    let mut text = String::from("# TYPE http_requests_total counter\n");
    for at in 0..90 {
        text.push_str(&metric(at, ["200", "201", "404"][at % 3], 100 + at * 37));
    }
    let odd = metric(3, "500", 8123);
    let told = summary(&text.replacen(&metric(40, "201", 1580), &odd, 1));
    assert!(
        told.contains("1 line that looks like a failure:\n"),
        "{told}"
    );
    assert!(told.contains(&format!(": {odd}")), "{told}");
    // No request failed.
    let none = metric(3, "503", 0);
    for none in [none.clone(), none.replace("code=", "status=")] {
        let told = summary(&text.replacen(&metric(40, "201", 1580), &none, 1));
        assert!(!told.contains("looks like a failure"), "{told}");
    }
}

#[test]
fn what_two_branches_have_in_one_place() {
    let mut text: String = (0..240)
        .map(|at| format!("def f_{at}(x):\n    return x + {at}\n\n"))
        .collect();
    let at = text.find("def f_130(").expect("a definition");
    text.insert_str(
        at,
        "<<<<<<< HEAD\nfee = 0.029\n=======\nfee = 0.034\n>>>>>>> fees\n",
    );
    let told = summary(&text);
    assert!(told.contains("391: <<<<<<< HEAD\n"), "{told}");
    assert!(told.contains("\"lines\":\"381-401\""), "{told}");
}

/// Words that are of one place alone.
fn name(at: usize) -> String {
    let letters = |by: usize| {
        let letter = move |place| char::from(b'a' + (at * by / 26usize.pow(place) % 26) as u8);
        (0..4).map(letter).collect::<String>()
    };
    format!("{} {} {}", letters(7_919), letters(104_729), letters(1_301))
}

#[test]
fn a_rare_value_of_a_key_stands_out_among_names() {
    let ini: String = (0..90)
        .map(|at| {
            let name = name(at + 3_000);
            let enabled = at != 61;
            format!("[section_{}]\nname = \"{name}\"\nenabled = {enabled}\nretries = 3\n; {name} and so on\n\n", at % 7)
        })
        .collect();
    let told = summary(&ini);
    let odd = "1 line that is like few others:\n369: enabled = false\n";
    assert!(told.contains(odd), "{told}");
    assert!(told.contains(r#""lines":"359-379""#), "{told}");
}

/// Most lines repeat, and those that do not have words of their own.
#[test]
fn a_rare_value_of_a_key_stands_out_among_records() {
    let lock: String = (0..90)
        .map(|at| {
            let optional = at == 50;
            let usual = format!("{} {}", TOPICS[at % 20], TOPICS[at * 7 % 20]);
            let (name, about) = match at % 9 {
                4 => (name(at + 3_000), name(at * 31 + 5_000)),
                _ => (usual.clone(), usual),
            };
            format!("[[package]]\nname = \"{name}\"\nversion = \"{at}.1.2\"\ndescription = \"{about}\"\noptional = {optional}\npython-versions = \">=3.8\"\nfiles = [\n    {{file = \"a.whl\"}},\n]\n\n")
        })
        .collect();
    let told = summary(&lock);
    assert!(told.contains("\n505: optional = true\n"), "{told}");
    assert!(!told.contains(": description = "), "{told}");
}

#[test]
fn a_requirement_of_another_form_stands_out() {
    let pins: String = (0..300)
        .map(|at| match at {
            93 => "requests @ git+https://git.local/requests@f00f00\n".to_owned(),
            at => format!(
                "{}=={}.{}.{}\n",
                name(at + 3_000).replace(' ', "-"),
                at % 9,
                at % 20,
                at % 10
            ),
        })
        .collect();
    let told = summary(&pins);
    assert!(
        told.contains("\n94: requests @ git+https://git.local"),
        "{told}"
    );
}

#[test]
fn a_status_of_git_is_counted_by_state() {
    let modified: String = (0..200)
        .map(|at| format!("\tmodified:   src/{}.rs\n", name(at).replace(' ', "/")))
        .collect();
    let text = format!(
        "On branch main\nChanges to be committed:\n\trenamed:    b.txt -> c.txt\n\nChanges not staged for commit:\n{modified}\nUnmerged paths:\n\tboth modified:   d.txt\n\nUntracked files:\n\t.env.production\n"
    );
    let told = summary(&text);
    for part in [
        "git status: staged renamed 1; not staged modified 200; unmerged both modified 1; untracked 1\n",
        "\n208: both modified:   d.txt\ngit status: ",
        "\n3: b.txt -> c.txt\n",
        "\n211: .env.production\n",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let short: String = (0..300)
        .map(|at| format!(" M src/{}.rs\n", name(at).replace(' ', "/")))
        .collect();
    let told = summary(&format!("## main\n{short}?? .env\n"));
    assert!(
        told.contains("git status: not staged modified 300; untracked 1\n1: ## main\n"),
        "{told}"
    );
    let told = summary(format!("{short}?? .env\n").trim_start());
    assert!(
        told.contains("git status: not staged modified 300; untracked 1\n"),
        "{told}"
    );
}

#[test]
fn the_times_of_a_plan_are_told() {
    let nodes: String = (0..90)
        .map(|at| {
            let indent = " ".repeat(at % 7 * 2);
            format!("{indent}->  Hash Join  (cost=0.{at}..9.{at} rows={at} width=32) (actual time=0.{at}..5.{at} rows={at} loops=1)\n")
        })
        .collect();
    let text = format!(
        "QUERY PLAN\n----------\n{nodes}Planning Time: 2.113 ms\nExecution Time: 81533.902 ms\n(92 rows)\n"
    );
    let told = summary(&text);
    for part in [
        "\n93: Planning Time: 2.113 ms\n",
        "\n94: Execution Time: 81533.902 ms\n",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn lines_of_bytes_are_not_odd() {
    let mut state = 7_u64;
    let mut sign = || {
        const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        char::from(SIGNS[(state >> 33) as usize % SIGNS.len()])
    };
    let mut text = String::new();
    for at in 0..12 {
        text.push_str(&format!(
            "exchange {at} of a client:\n    status: 200\n    body:\n"
        ));
        if at == 8 {
            text.push_str("    retried because the server closed its connection\n");
        }
        for _ in 0..20 {
            let bytes: String = (0..76).map(|_| sign()).collect();
            text.push_str(&format!("      {bytes}\n"));
        }
    }
    text.push_str("end of all exchanges\n");
    let told = summary(&text);
    assert!(told.contains("retried because the server"), "{told}");
    let (findings, _) = told.split_once("\nlines:").expect("first and last lines");
    let is_bytes = |line: &str| line.len() > 70 && line.split(' ').count() < 4;
    assert!(!findings.lines().any(is_bytes), "{told}");
}

#[test]
fn a_failure_in_a_comment_between_lines_of_a_log() {
    let line = |at: usize| {
        format!(
            "2026-11-20 10:{:02}:{:02} worker step {} done\n",
            at / 60,
            at % 60,
            at % 7
        )
    };
    for failure in [
        "### ERROR: disk full on /data",
        "# A fatal error has been detected by the Java Runtime Environment:",
        "#  SIGSEGV (0xb) at pc=0x00007f3c, pid=1, tid=2",
    ] {
        let mut lines: Vec<String> = (0..200).map(line).collect();
        lines.insert(100, format!("{failure}\n"));
        let told = summary(&lines.concat());
        let shown = failure.trim_start_matches(['#', ' ']);
        assert!(told.contains(shown), "{told}");
    }
}

#[test]
fn the_setting_of_one_of_many_that_differs() {
    let server = |at: usize| {
        let seconds = if at == 22 { 3_000 } else { 30 };
        format!(
            "  server {{\n    listen 80;\n    server_name s{at}.ex.org;\n    proxy_read_timeout {seconds}s;\n  }}\n"
        )
    };
    let told = summary(&(0..80).map(server).collect::<String>());
    assert!(
        told.contains("\n114: proxy_read_timeout 3000s;\n"),
        "{told}"
    );
    let setting = |at: usize| {
        let seconds = if at == 37 { 0 } else { 30 };
        format!("app.service{at}.url=http://10.0.0.{at}/\napp.service{at}.timeout={seconds}\n")
    };
    let told = summary(&(0..150).map(setting).collect::<String>());
    assert!(told.contains("\n76: app.service37.timeout=0\n"), "{told}");
    // Percentiles are no parts of one thing.
    let metrics = |at: usize| format!("p50={} p99={} p100=90\n", 10 + at % 3, 80 + at % 5);
    let told = summary(&(0..300).map(metrics).collect::<String>());
    assert!(!told.contains("like few others"), "{told}");
}

#[test]
fn a_hit_unlike_all_others() {
    let text = |odd: &str| -> String {
        let hit = |at: usize| {
            let topic = TOPICS[at * 7 % 20];
            let on = ["date", "order.date", "today"][at % 3];
            match at {
                141 => format!("src/legacy/ledger.py:77:    {odd}\n"),
                _ => format!(
                    "src/{topic}/rates.py:{}:    rate = get_rate(currency, on={on})\n",
                    at + 3
                ),
            }
        };
        (0..200).map(hit).collect()
    };
    let told = summary(&text(
        "rate = get_rate(currency, on=None)  # wrong for old invoices",
    ));
    assert!(
        told.contains("\nrare: legacy/ledger.py:77: rate = get_rate(currency, on=None)  # wrong for old invoices\n"),
        "{told}"
    );
    // The hint leads to it.
    assert!(told.contains("\"lines\":\"132-152\""), "{told}");
    // It is none of those that are left out.
    let shown = told
        .lines()
        .filter(|line| line.contains(": rate = "))
        .count();
    assert!(
        told.contains(&format!(" and {} more: ", 200 - shown)),
        "{told}"
    );
    assert!(!summary(&text("rate = get_rate(currency, on=date)")).contains("rare: "));
}

#[test]
fn the_notice_below_sections_is_told() {
    // Lines of many words in any order, of which none is like another.
    for seed in 0..20_u64 {
        let mut dice = seed;
        let mut words = |count: usize| -> String {
            let mut word = || {
                dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let at = (dice >> 33) as usize;
                format!("{}{}", TOPICS[at % 20], ["", "s", "ed"][at / 20 % 3])
            };
            (0..count).map(|_| word()).collect::<Vec<_>>().join(" ")
        };
        let mut sections = String::new();
        for at in 0..40 {
            let (title, text) = (words(5).to_uppercase(), words(60));
            sections.push_str(&format!(
                "### {at}. {title}\n**URL**: https://docs.test/{at}\n**Score**: 0.{}\n{text}\n\n",
                90 - at
            ));
        }
        let usual = words(12);
        for (notice, is_told) in [
            ("> Note: the index is 41 days old", true),
            ("_Showing 60 of 912 results_", true),
            (&*usual, false),
        ] {
            let told = summary(&format!("{sections}{notice}\n"));
            let line = format!("201: {notice}\n");
            assert_eq!(told.contains(&line), is_told, "{told}");
        }
    }
}

#[test]
fn a_hit_is_rare_among_all_hits() {
    // The first 4,096 are looked at as hits.
    let text = |rare_in_all: bool| -> String {
        let hit = |at: usize| {
            let is_odd = at == 2_000 || !rare_in_all && at > 4_200 && at.is_multiple_of(2);
            let text = if is_odd {
                "rate = None  # unlike all others"
            } else {
                ["get_rate(a)", "get_rate(b)"][at % 2]
            };
            format!(
                "src/{}/rates.py:{}:    {text}\n",
                TOPICS[at * 7 % 20],
                at + 3
            )
        };
        (0..6_000).map(hit).collect()
    };
    let told = summary(&text(false));
    assert!(
        !told.contains("rare: ") && !told.contains("like few others"),
        "{told}"
    );
    let told = summary(&text(true));
    assert!(told.contains("unlike all others\n"), "{told}");
    assert!(told.contains("\"lines\":\"1991-2011\""), "{told}");
}

#[test]
fn numbers_and_names_with_digits_are_of_different_patterns() {
    let mut text = String::new();
    for at in 0..400 {
        text.push_str(&format!("player{}\n{}\n", at * 7 % 400, 90 + at * 9));
    }
    let told = summary(&text);
    assert!(told.contains("\n400x 1..799: player0\n"), "{told}");
    // Short numbers are numbers, too.
    assert!(told.contains("\n400x 2..800: 90\n"), "{told}");
    let numbers = |number: fn(usize) -> String| -> String {
        (0..1_500).map(|at| number(at * 37 % 491) + "\n").collect()
    };
    let spelled: [fn(usize) -> String; 2] = [
        |at: usize| (100 + at).to_string(),
        |at: usize| format!("{}.{}", at / 20, at % 10),
    ];
    for number in spelled {
        let told = summary(&numbers(number));
        assert!(told.contains("\n1 pattern of lines "), "{told}");
        assert!(told.contains("\n1500x 1..1500: "), "{told}");
    }
}

#[test]
fn the_line_that_a_call_leads_to_is_shown() {
    let mut text = String::new();
    // Comments of one word, of two, …, all of their own.
    for (at, first) in TOPICS.iter().enumerate() {
        let words = TOPICS[..=at].iter().map(|next| format!(" {first}_{next}"));
        text.push_str(&format!("::{}\n", words.collect::<String>()));
    }
    for at in 0..300 {
        let kind = if at == 140 { "refund" } else { "click" };
        text.push_str(&format!("17960{at}-0\ntype\n{kind}\nuser\nu{}\n", at % 7));
    }
    let told = summary(&text);
    assert!(
        told.contains("\n21 lines that are like few others, 8 of them:\n"),
        "{told}"
    );
    assert!(told.contains("\n723: refund\n"), "{told}");
    assert!(told.contains("\"lines\":\"713-733\""), "{told}");
}

#[test]
fn what_another_program_wrote_before_a_listing_is_told() {
    let mut text = String::from("Package    Version\n");
    for (at, topic) in TOPICS.iter().enumerate() {
        text.push_str(&format!("{topic}-client    {}.{}.1\n", at % 5, at % 7));
    }
    text.push_str("total 4820\n");
    for at in 0..150 {
        let topic = TOPICS[at % 20];
        let size = 900 + at * 37;
        text.push_str(&format!(
            "-rw-r--r-- 1 root root {size:>8} May 26  2022 {topic}-{at}.conf\n"
        ));
    }
    let told = summary(&text);
    let before = "22 lines before are of another form:\n1: Package    Version\n22: total 4820\n";
    assert!(told.contains(before), "{told}");
}

#[test]
fn lines_that_look_like_frames_are_read_as_sentences() {
    let kinds = [
        |at: usize, says: &str| {
            format!(
                "at {:02}:{:02} {says} (room:{})",
                at / 60,
                at % 60,
                1 + at % 7
            )
        },
        |at: usize, says: &str| format!("at node{} {says} (room:{})", at % 9, 1 + at % 7),
        |at: usize, says: &str| format!("at node{} {says} (09:12:{})", at % 9, 10 + at % 7),
    ];
    for line in kinds {
        let text = |odd: &dyn Fn(usize) -> Option<&'static str>| {
            let lines = (0..120).map(|at| line(at, odd(at).unwrap_or("the job is done")) + "\n");
            summary(&lines.collect::<String>())
        };
        let told = text(&|at| (at == 70).then_some("the disk is full"));
        assert!(told.contains("the disk is full"), "{told}");
        let failures = [
            "it cannot open the file",
            "login failed",
            "the index is corrupt: checksum error",
            "the database refused connections",
        ];
        let told = text(&|at| (at % 30 == 20).then(|| failures[at / 30]));
        for failure in failures {
            assert!(told.contains(failure), "{failure}: {told}");
        }
    }
}
