//! Levels of logs in every form that programs write: their lines are counted, and those of errors are shown.

use summary::Summary;
use tamis_sdk::testing::Bench;

fn summary(text: &str) -> String {
    let applied = Bench::<Summary>::new("{}").apply(text);
    assert!(applied.changed, "not summarised: {text:.200}");
    applied.text().to_owned()
}

/// 360 lines, of which 40 have the level of an error and the other ones that of information, and no word of failures.
/// `line`: its number, its time, whether it is an error, and its message.
fn log(line: fn(usize, &str, bool, &str) -> String) -> String {
    const MESSAGES: [&str; 3] = ["served a page in", "cache is warm after", "queue depth is"];
    let line = |at: usize| {
        let time = format!("{:02}:{:02}:{:02}", 8 + at / 240, at / 4 % 60, at % 4 * 15);
        let is_error = at % 9 == 4;
        let message = match is_error {
            true => format!("disk {at} is read only"),
            false => format!("{} {}", MESSAGES[at * at % 3], at * 7 % 90),
        };
        line(at, &time, is_error, &message) + "\n"
    };
    (0..360).map(line).collect()
}

#[track_caller]
fn assert_told(text: &str, levels: &str) {
    let summary = summary(text);
    let error = text.lines().nth(4).expect("an error").replace('\t', " ");
    for part in [
        format!("levels: {levels}"),
        "40 lines that look like failures, of one sort:".to_owned(),
        format!("5 (40 times, last 356): {error}"),
    ] {
        assert!(summary.contains(&part), "{part:?} is not told:\n{summary}");
    }
}

#[test]
fn a_level_is_a_word_of_any_form() {
    let error = "ERROR 40, INFO 320";
    // Apache, systemd.
    assert_told(
        &log(|at, time, is, message| {
            let level = if is { "core:error" } else { "core:info" };
            format!("[Wed May 20 {time} 2026] [{level}] [pid 8:tid {at}] {message}")
        }),
        error,
    );
    assert_told(
        &log(|_, time, is, message| {
            let level = if is { "<err>" } else { "<info>" };
            format!("May 20 {time} web-1 app[812]: {level} {message}")
        }),
        error,
    );
    // Words of four letters.
    assert_told(
        &log(|at, _, is, message| {
            let level = if is { "ERRO" } else { "INFO" };
            format!("{level}[{at:04}] {message}")
        }),
        error,
    );
    assert_told(
        &log(|at, _, is, message| {
            let level = if is { "eror" } else { "info" };
            format!("lvl={level} msg=\"{message}\" id={at}")
        }),
        error,
    );
    // After the time.
    assert_told(
        &log(|at, time, is, message| {
            let level = if is { "error" } else { "info" };
            format!("2026-05-20T{time}.123Z\t{level}\tshop/a.go:{at}\t{message}")
        }),
        error,
    );
    // Of the kernel.
    assert_told(
        &log(|at, _, is, message| {
            let level = if is { "err" } else { "info" };
            format!("kern  :{level:6}: [  {at}.000000] {message}")
        }),
        error,
    );
    // PostgreSQL.
    assert_told(
        &log(|_, time, is, message| {
            let level = if is { "PANIC" } else { "LOG" };
            format!("2026-05-20 {time} UTC [812] {level}:  {message}")
        }),
        "PANIC 40, LOG 320",
    );
}

#[test]
fn a_level_is_a_letter() {
    let logs = [
        log(|at, time, is, message| {
            let level = if is { 'E' } else { 'I' };
            format!(
                "May 20 {time} node-1 kubelet[8]: {level}0520 {time}.123456 8 a.go:{at}] {message}"
            )
        }),
        log(|_, _, is, message| {
            let level = if is { 'E' } else { 'I' };
            format!("{level}/Cache  ( 812): {message}")
        }),
        log(|_, time, is, message| {
            let level = if is { 'E' } else { 'I' };
            format!("05-20 {time}.123 {level}/Cache( 812): {message}")
        }),
        log(|_, time, is, message| {
            let level = if is { 'E' } else { 'I' };
            format!("05-20 {time}.123   812  1203 {level} cache   : {message}")
        }),
        log(|at, time, is, message| {
            let level = if is { 'E' } else { 'I' };
            format!("2026-05-20T{time}.123+0000 {level}  NETWORK  [conn{at}] {message}")
        }),
        log(|_, time, is, message| {
            let level = if is { 'E' } else { 'I' };
            format!("[{level}] 2026-05-20 {time} {message}")
        }),
    ];
    for log in logs {
        assert_told(&log, "ERROR 40, INFO 320");
    }
}

#[test]
fn a_level_is_a_number() {
    let logs = [
        log(|_, time, is, message| {
            let number = if is { 3 } else { 6 };
            format!("<{number}>May 20 {time} web-1 app[812]: {message}")
        }),
        log(|_, time, is, message| {
            let number = if is { 131 } else { 134 };
            format!("<{number}>1 2026-05-20T{time}Z web-1 app 812 - - {message}")
        }),
        log(|_, time, is, message| {
            let number = if is { 3 } else { 6 };
            format!("May 20 {time}: %LINK-{number}-UPDOWN: {message}")
        }),
    ];
    for log in logs {
        assert_told(&log, "ERROR 40, INFO 320");
    }
}

#[test]
fn letters_and_numbers_of_other_texts_are_no_levels() {
    for text in [
        // Files.
        log(|at, _, _, message| format!("[F] {message} {at}")),
        // Items of a list.
        log(|at, _, _, message| format!("<{}> {message}", at % 190)),
        // A talk.
        log(|_, time, _, message| format!("{time} I said that {message}")),
        // Values that a message quotes.
        log(|at, _, _, message| format!("{message} of \"debug mode\" {at}")),
        log(|at, _, _, message| format!("{message}: 12%-{at}-off")),
    ] {
        let summary = summary(&text);
        assert!(!summary.contains("levels:"), "{summary}");
        assert!(!summary.contains("like failures"), "{summary}");
    }
}

/// 360 lines: their number, and a time.
fn lines(line: fn(usize, &str) -> String) -> String {
    let line = |at: usize| {
        let time = format!("{:02}:{:02}:{:02}", 8 + at / 240, at / 4 % 60, at % 4 * 15);
        line(at, &time) + "\n"
    };
    (0..360).map(line).collect()
}

#[test]
fn letters_numbers_and_words_that_few_lines_have_are_no_levels() {
    const NAMES: [&str; 6] = ["Eni", "Intel", "Visa", "Dell", "Ford", "Walmart"];
    let texts = [
        // Directions of the wind, prices, trains.
        lines(|at, time| {
            format!(
                "2026-05-20 {time} {} at Station {at}",
                ["N", "E", "S", "W"][at % 4]
            )
        }),
        lines(|at, time| {
            format!(
                "2026-05-20 {time} 16 {} alt {at}",
                ["N", "E", "S", "W"][at % 4]
            )
        }),
        lines(|at, time| format!("{time} {0} {1} {at}.5", &NAMES[at % 6][..1], NAMES[at % 6])),
        lines(|at, time| {
            format!(
                "E{:04} {time} Paris to Lyon, platform {}",
                1000 + at,
                at % 9
            )
        }),
        // Items, parts of links, options.
        lines(|at, _| format!("<{}>Item {at} of the list of all items", at % 3 + 1)),
        lines(|at, _| format!("GET /a%GDP-{}-b{at} of the page of the year", at % 8)),
        lines(|at, _| {
            format!(
                "{} option {at} of the program does a thing",
                ["[E]", "[x]", "[ ]"][at % 3]
            )
        }),
        lines(|at, _| format!("<{}> of the list of all items, {at} of many", at % 7)),
        lines(|at, _| format!("{}/O of disk {at} (read): kept", ["I", "D", "W"][at % 3])),
        // Words after a time.
        lines(|at, time| {
            format!(
                "{time} {} pass {at}",
                ["Error-free", "Info desk", "Stage"][at % 3]
            )
        }),
        lines(|at, time| format!("2026-05-20 {time} ERR: 0, WRN: 0, done {at}")),
    ];
    for text in texts {
        let summary = summary(&text);
        for wrong in ["levels:", "look like failures"] {
            assert!(!summary.contains(wrong), "{wrong:?} is told:\n{summary}");
        }
    }
}

#[test]
fn a_level_in_capitals_counts_beside_a_mark() {
    let logs = [
        log(|at, time, _, message| {
            let level = if at % 120 == 7 { "CRITICAL" } else { "INFO" };
            format!("2026-05-20 {time},123 debug.views - {level} - {message}")
        }),
        log(|at, time, _, message| {
            let name = ["info", "debug"][at % 2];
            let level = if at % 120 == 7 { "ERROR lost" } else { "kept" };
            format!("2026-05-20 {time} {name} job {at}: {level} {message}")
        }),
    ];
    for (log, level) in logs.iter().zip(["CRITICAL 3, INFO 357", "ERROR 3, INFO"]) {
        let summary = summary(log);
        assert!(summary.contains(&format!("levels: {level}")), "{summary}");
        assert!(summary.contains("look like failures"), "{summary}");
    }
}

#[test]
fn names_of_tests_with_a_level_are_no_failures() {
    let text = lines(|at, _| match at % 3 {
        0 => format!("ok {at} - logs ERROR on a missing file"),
        _ => format!("ok {at} - reads page {at} of the book"),
    });
    let summary = summary(&text);
    assert!(!summary.contains("look like failures"), "{summary}");
}

#[test]
fn where_most_lines_are_errors_they_are_told() {
    let text = lines(|at, time| {
        let (level, message) = match at % 3 {
            0 => (6, "page is served"),
            _ => (3, "page is gone"),
        };
        format!("<{level}>May 20 {time} web-1 app[812]: {message} {at}")
    });
    let summary = summary(&text);
    for part in [
        "levels: ERROR 240, INFO 120",
        "240 lines that look like failures",
    ] {
        assert!(summary.contains(part), "{part:?} is not told:\n{summary}");
    }
}

#[test]
fn a_level_follows_two_facilities_and_is_before_a_date_of_eight_digits() {
    let logs = [
        log(|_, time, is, message| {
            let number = if is { 3 } else { 6 };
            format!("May 20 {time}: %PLATFORM-ENV-{number}-FAN: {message}")
        }),
        log(|at, time, is, message| {
            let level = if is { 'E' } else { 'I' };
            format!("{level}20260520 {time}.123456 8 a.cc:{at}] {message}")
        }),
    ];
    for log in logs {
        assert_told(&log, "ERROR 40, INFO 320");
    }
}

#[test]
fn a_level_among_the_words_of_a_message_is_not_that_of_the_line() {
    // Each third line quotes another program's.
    let message = |at: usize, message: &str| match at % 3 {
        0 => format!("upstream said level=error code={at}"),
        _ => message.to_owned(),
    };
    let text = lines(|_, _| String::new());
    let count = text.lines().count();
    let logs: [fn(usize, &str, &str) -> String; 5] = [
        |at, time, said| {
            let level = if at % 9 == 4 { 'E' } else { 'I' };
            format!("{level}0520 {time}.123456 8 a.go:{at}] {said}")
        },
        |at, time, said| {
            let level = if at % 9 == 4 { 'E' } else { 'I' };
            format!("[{level}] 2026-05-20 {time} {said}")
        },
        |at, time, said| {
            let level = if at % 9 == 4 { "error" } else { "info" };
            format!("2026-05-20T{time}.123Z\t{level}\tshop/a.go:{at}\t{said}")
        },
        |at, time, said| {
            let level = if at % 9 == 4 { 3 } else { 6 };
            format!("<{level}>May 20 {time} web-1 app[812]: {said}")
        },
        // Only the level is what the program says of its line.
        |at, time, said| {
            let level = if at % 9 == 4 { "error" } else { "info" };
            format!("time=2026-05-20T{time}Z level={level} id={at} msg=\"{said}\"")
        },
    ];
    for line in logs {
        let line = |at: usize| {
            let time = format!("{:02}:{:02}:{:02}", 8 + at / 240, at / 4 % 60, at % 4 * 15);
            line(at, &time, &message(at, "served a page")) + "\n"
        };
        let summary = summary(&(0..count).map(line).collect::<String>());
        let levels = "levels: ERROR 40, INFO 320";
        assert!(summary.contains(levels), "{summary}");
    }
}

#[test]
fn a_level_in_the_pairs_of_another_program_counts_beside_a_mark() {
    let text = log(|_, time, is, message| {
        let level = if is { "error" } else { "info" };
        let zone = "2026-05-20T";
        format!(
            "<30>May 20 {time} web-1 dockerd[812]: time=\"{zone}{time}Z\" level={level} msg=\"{message}\""
        )
    });
    let summary = summary(&text.replacen("<30>", "<31>", 30));
    assert!(summary.contains("levels: ERROR 40, INFO "), "{summary}");
}

#[test]
fn where_nearly_all_marks_are_errors_they_are_no_levels() {
    // Containers that were exported and imported, and items.
    let kinds = lines(|at, time| {
        let kind = if at % 25 == 3 { 'I' } else { 'E' };
        format!("2026-05-20 {time} {kind} CONT{at} berth {at} weight {at} kg")
    });
    // All that a program writes to one of its outputs has the number of an error.
    let output = lines(|at, time| {
        let number = if at % 25 == 3 { 30 } else { 27 };
        format!("<{number}>May 20 {time} web-1 app[812]: page {at} is ready")
    });
    for text in [kinds, output] {
        let summary = summary(&text);
        for part in ["levels:", "look like failures"] {
            assert!(!summary.contains(part), "{part:?} is told:\n{summary}");
        }
    }
    // Winds, and folders before files.
    for text in [
        lines(|at, time| {
            let wind = if at % 20 == 3 { 'W' } else { 'E' };
            format!("2026-05-20 {time} 16 {wind} alt {at}")
        }),
        lines(|at, _| {
            let sort = if at % 20 == 3 { 'D' } else { 'F' };
            format!("[{sort}] name {at} of a thing that is kept here")
        }),
    ] {
        let summary = summary(&text);
        assert!(!summary.contains("levels:"), "{summary}");
    }
}

#[test]
fn what_a_program_writes_of_its_level_counts_more_than_a_number() {
    // Half of the lines are of an output that has the number of errors.
    const NUMBERS: [u8; 2] = [27, 30];
    let logs = [
        log(|at, time, is, message| {
            let level = if is { "error" } else { "info" };
            let number = NUMBERS[at % 2];
            format!(
                "<{number}>May 20 {time} web-1 app[812]: {{\"level\":\"{level}\",\"msg\":\"{message}\"}}"
            )
        }),
        log(|at, time, is, message| {
            let level = if is { "error" } else { "info" };
            let number = NUMBERS[at % 2];
            format!("<{number}>May 20 {time} web-1 app[812]: level={level} msg=\"{message}\"")
        }),
        log(|at, time, is, message| {
            let level = if is { "error" } else { "info" };
            let number = NUMBERS[at % 2];
            format!(
                "<{number}>1 2026-05-20T{time}Z web-1 app 812 - - level={level} msg=\"{message}\""
            )
        }),
        log(|at, time, is, message| {
            let level = if is { "ERROR" } else { "INFO" };
            let number = NUMBERS[at % 2];
            format!(
                "<{number}>May 20 {time} web-1 app[812]: 2026-05-20 {time},123 {level} {message}"
            )
        }),
        log(|at, time, is, message| {
            let level = if is { "error" } else { "info" };
            let number = NUMBERS[at % 2];
            format!(
                "<{number}>May 20 {time} web-1 app[812]: [worker-{at}] level={level} msg=\"{message}\""
            )
        }),
    ];
    for log in logs {
        let summary = summary(&log);
        assert!(summary.contains("levels: ERROR 40, INFO 320"), "{summary}");
    }
    // A word in the message does not.
    let log = log(|_, time, is, message| {
        let number = if is { 27 } else { 30 };
        format!("<{number}>May 20 {time} web-1 app[812]: {message} for INFO pages")
    });
    let summary = summary(&log);
    assert!(summary.contains("levels: ERROR 40, INFO 320"), "{summary}");
}

#[test]
fn a_name_in_brackets_before_the_pairs_is_no_message() {
    let log = log(|at, time, is, message| {
        let level = if is { "error" } else { "info" };
        let number = if at % 50 == 3 { 27 } else { 30 };
        format!(
            "<{number}>May 20 {time} web-1 app[812]: [worker-0] level={level} msg=\"{message}\""
        )
    });
    let summary = summary(&log);
    assert!(summary.contains("levels: ERROR 40, INFO 320"), "{summary}");
}

#[test]
fn a_part_of_a_zone_and_an_amount_are_no_zones() {
    for (zones, expected) in [
        (["GMT+1", "GMT+1"], "from 2026-01-02 00:00:01 to"),
        (["UTC+02:00", "UTC+02:00"], "from 2026-01-02 00:00:01 to"),
        (["CET-17", "MSK/4"], "from 2026-01-02 00:00:01 to"),
        (["+0030", "-0005"], "from 2026-01-02 00:00:01 to"),
        (["+1250", "-0020"], "from 2026-01-02 00:00:01 to"),
        (["+1500", "+1815"], "from 2026-01-02 00:00:01 to"),
        (["+0545", "+0545"], "from 2026-01-02 00:00:01 +0545 to"),
    ] {
        let line = |at: usize| {
            let (hour, minute, zone) = (at / 60, at % 60, zones[at % 2]);
            format!("2026-01-02 {hour:02}:{minute:02}:01 {zone} INFO page {at} is served\n")
        };
        let summary = summary(&(0..300).map(line).collect::<String>());
        assert!(summary.contains(expected), "{zones:?}: {summary}");
    }
}

#[test]
fn times_with_a_zone_after_a_blank_are_compared_by_their_instants() {
    let of = |zone: fn(usize) -> &'static str| {
        let line = |at: usize| {
            let (hour, minute) = (at / 60, at % 60);
            let level = if at == 50 { "ERROR" } else { "INFO" };
            let zone = zone(at);
            format!("2026-01-02 {hour:02}:{minute:02}:01 {zone} {level} page {at} is served\n")
        };
        summary(&(0..300).map(line).collect::<String>())
    };
    let two = of(|at| if at % 2 == 0 { "+0100" } else { "-0800" });
    let range = "; from 2026-01-02 00:00:01 +0100 to 2026-01-02 04:59:01 -0800\n";
    assert!(two.contains(range), "{two}");
    let two = of(|at| if at < 200 { "-0800" } else { "+0100" });
    let range = "; from 2026-01-02 03:20:01 +0100 to 2026-01-02 03:19:01 -0800\n";
    assert!(two.contains(range), "{two}");
    let one = of(|_| "-08:00");
    let range = "; from 2026-01-02 00:00:01 -08:00 to 2026-01-02 04:59:01 -08:00\n";
    assert!(one.contains(range), "{one}");
    // Nobody knows the order of times in zones that have a name.
    let named = of(|at| if at % 2 == 0 { "PST" } else { "UTC" });
    let ends = "; first line 2026-01-02 00:00:01 PST, last 2026-01-02 04:59:01 UTC\n";
    assert!(named.contains(ends), "{named}");
}

#[test]
fn a_time_in_brackets_is_no_file_of_a_hit() {
    let summary = summary(&log(|_, time, is, message| {
        let level = if is { "ERROR" } else { "INFO" };
        format!("[20/May/2026:{time} +0100] {level} {message}")
    }));
    assert!(summary.contains("levels: ERROR 40, INFO 320"), "{summary}");
}

#[test]
fn comments_between_lines_of_a_log_are_no_headings() {
    let line = |i: usize| {
        let said = match i % 30 {
            7 => "Failed password",
            _ => "Accepted publickey",
        };
        format!(
            "Mar  1 10:{:02}:00 web sshd[{i}]: {said} for user{i}\n",
            i % 60
        )
    };
    let part = |node: usize| {
        let lines: String = (node * 30..node * 30 + 30).map(line).collect();
        format!("# node-{node}: /var/log/auth.log\n{lines}\n")
    };
    let summary = summary(&(0..6).map(part).collect::<String>());
    assert!(!summary.contains("headings"), "{summary}");
    assert!(
        summary.contains("6 lines that look like failures"),
        "{summary}"
    );
}

#[test]
fn comments_of_several_lines_in_settings_are_no_headings() {
    let setting = |i: usize| {
        format!(
            "# what the value of this setting is for\n# and which of them are allowed\nname{i}: \"v{i}\"\nother{i}:\n  - a{i}\n\n"
        )
    };
    let summary = summary(&(0..60).map(setting).collect::<String>());
    assert!(!summary.contains("headings"), "{summary}");
}

/// Of a log without errors, the first of its warnings is shown.
#[test]
fn the_first_warning_of_a_log_without_errors() {
    let of = |worst: &'static str| {
        let line = move |i: usize| {
            let (level, said) = match i % 5 {
                3 if i > 60 && i < 90 => (worst, "disk 3 is nearly full"),
                3 => ("WARNING", "link p1.md has no target"),
                _ => ("DEBUG", "config value is set"),
            };
            format!("{level:<8} -  {said} {i}\n")
        };
        summary(&(0..200).map(line).collect::<String>())
    };
    let told = of("WARNING");
    let expected =
        "levels: WARNING 40, DEBUG 160\nfirst WARNING: 4: WARNING  -  link p1.md has no target 3\n";
    assert!(told.contains(expected), "{told}");
    // Errors are shown as such.
    assert!(!of("ERROR").contains("first "), "{}", of("ERROR"));
}
