//! Answers to a request, in every spelling that some reader accepts.
//!
//! Owns the spellings. The output depends only on `choose`, which may draw from a random number generator or read a
//! fuzzer's bytes: `choose(n)` gives a number below `n`.

/// A source of choices.
pub type Choose<'a> = dyn FnMut(usize) -> usize + 'a;

/// Picks one of these.
fn pick<'t>(choose: &mut Choose<'_>, all: &[&'t str]) -> &'t str {
    all[choose(all.len())]
}

/// True about once in `n` times.
fn rarely(choose: &mut Choose<'_>, n: usize) -> bool {
    choose(n) == 0
}

/// The bytes of a frame that may be an answer to the request `id`, without its line break. `secret` is in its result.
pub fn frame(id: u64, secret: &str, choose: &mut Choose<'_>) -> Vec<u8> {
    // Half of the frames have few oddities: the last choice is the usual one.
    let is_calm = choose(2) == 0;
    let mut choose = |below: usize| match is_calm && choose(4) > 0 {
        true => below - 1,
        false => choose(below),
    };
    let choose: &mut Choose<'_> = &mut choose;
    let mut members = vec![
        (key("jsonrpc", choose), "\"2.0\"".to_owned()),
        (key("id", choose), spelled(id, choose)),
        (key("result", choose), result(secret, choose)),
    ];
    if rarely(choose, 4) {
        let method = pick(
            choose,
            &[
                "null",
                "7",
                "{}",
                "[]",
                "\"ping\"",
                "\"notifications/message\"",
            ],
        );
        members.push((key("method", choose), method.to_owned()));
    }
    if rarely(choose, 8) {
        let params = pick(choose, &["{}", "null", r#"{"taskId":"t","result":{}}"#]);
        members.push((key("params", choose), params.to_owned()));
    }
    if rarely(choose, 6) {
        let other = pick(choose, &["0", "null", "\"none\"", "123456789012345678901"]).to_owned();
        members.push((key("id", choose), other));
    }
    if rarely(choose, 6) {
        let other = pick(choose, &["{}", "null", r#"{"content":[]}"#]).to_owned();
        members.push((key("result", choose), other));
    }
    if rarely(choose, 8) {
        let error = pick(choose, &["null", r#"{"code":1,"message":"m"}"#]).to_owned();
        members.push((key("error", choose), error));
    }
    if rarely(choose, 8) {
        members.push((
            "\"x\"".to_owned(),
            pick(choose, &["1e2", "NaN", "'y'", "[1,]"]).to_owned(),
        ));
    }
    for from in (1..members.len()).rev() {
        members.swap(from, choose(from + 1));
    }
    let mut text = String::from("{");
    for (index, (key, value)) in members.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let (a, b, c) = (space(choose), space(choose), space(choose));
        text += &format!("{comma}{a}{key}{b}:{c}{value}");
    }
    text += &space(choose);
    text += if rarely(choose, 10) { ",}" } else { "}" };
    wrapped(text, choose)
}

/// A member's name, with its quotes.
fn key(name: &str, choose: &mut Choose<'_>) -> String {
    let spelled = match choose(24) {
        0 => name.to_uppercase(),
        1 => name[..1].to_uppercase() + &name[1..],
        2 => name.replace('s', "\u{17f}"),
        3 => name.replace('i', "\u{131}"),
        4 => format!("{name}\\u0000z"),
        5 | 6 => {
            let at = choose(name.len());
            let letter = name.as_bytes()[at];
            format!("{}\\u{letter:04x}{}", &name[..at], &name[at + 1..])
        }
        _ => name.to_owned(),
    };
    format!("\"{spelled}\"")
}

/// An id, as its digits or otherwise.
fn spelled(id: u64, choose: &mut Choose<'_>) -> String {
    match choose(16) {
        0 => format!("{id}.0"),
        1 => format!("{id}e0"),
        2 => format!("{id}0E-1"),
        3 => format!("\"{id}\""),
        4 => format!("\" {id}\\n\""),
        5 => format!("\"{id:#x}\""),
        6 => format!("[{id}]"),
        7 => format!("{id}.00000000000000000001"),
        8 => format!(
            "\"\\u{:04x}{}\"",
            id.to_string().as_bytes()[0],
            &id.to_string()[1..]
        ),
        _ => id.to_string(),
    }
}

/// A tool's result with a secret in a member that the chain removes.
fn result(secret: &str, choose: &mut Choose<'_>) -> String {
    let secret = match choose(4) {
        0 => secret.replacen('S', "\\\\u0053", 1),
        _ => secret.to_owned(),
    };
    let said = format!(r#"{{\"keep\":1,\"secret\":\"{secret}\"}}"#);
    let block = match choose(16) {
        0 => format!(r#"{{"type":"text","text":"{said}","text":"none"}}"#),
        1 => format!(r#"{{"type":"text","text":"none","text":"{said}"}}"#),
        2 => format!(r#"{{"type":"text","text":"none","Text":"{said}"}}"#),
        3 => format!(r#"{{"type":"text","text":"{said}","type":"image"}}"#),
        4 => format!(r#"{{"type":"image","text":"{said}"}}"#),
        5 => format!(r#"{{"TYPE":"text","text":"{said}"}}"#),
        6 => format!(r#"{{"type":"resource","resource":{{"uri":"a:b","text":"{said}"}}}}"#),
        7 => format!(r#"{{"\u0074ype":"text","te\u0078t":"{said}"}}"#),
        _ => format!(r#"{{"type":"text","text":"{said}"}}"#),
    };
    match choose(20) {
        0 => format!(r#"{{"Content":[{block}]}}"#),
        1 => format!(r#"{{"content":[{block}],"content":[]}}"#),
        2 => format!(r#"{{"content":[],"content":[{block}]}}"#),
        3 => format!(r#"{{"content":[{block},]}}"#),
        4 => format!(r#"{{"content":[],"structuredContent":{{"secret":"{secret}"}}}}"#),
        5 => format!(r#"{{"task":{{"taskId":"t"}},"content":[{block}]}}"#),
        6 => format!(r#"{{"resultType":"input_required","Content":[{block}]}}"#),
        7 => format!(r#"{{"resultType":"task","taskId":"t","messages":[{block}]}}"#),
        8 => format!("[{block}]"),
        9 => format!("\"{said}\""),
        10 => format!("{{\"content\":\r[{block}\r]}}"),
        11 => format!("{{\"content\":[{block}],\"note\":\"a\rb\"}}"),
        12 => format!("{{\"content\":[{block}],\"_meta\":{{\"n\":\"\u{2028}\u{85}\"}}}}"),
        _ => format!(r#"{{"content":[{block}]}}"#),
    }
}

/// JSON's white space, mostly none, and rarely characters that only some readers accept.
fn space(choose: &mut Choose<'_>) -> String {
    match choose(24) {
        0 => " ",
        1 => "\t ",
        2 => "\r",
        3 if choose(8) == 0 => "\u{a0}",
        _ => "",
    }
    .to_owned()
}

/// A message in a possible wrapper.
fn wrapped(message: String, choose: &mut Choose<'_>) -> Vec<u8> {
    let wide = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
    let text = match choose(40) {
        0 => format!("\u{feff}{message}"),
        1 => format!("[{message}]"),
        2 => format!("[[{message}]]"),
        3 => format!("[null,{message},7]"),
        4 => format!("[{message},]"),
        5 => format!("{{}}\r{message}"),
        6 => format!("\"a\r\"\r{message}\r{{}}"),
        7 => format!("\"\r{message}\r\""),
        8 => format!("{{\"x\":\"\r{message}\r\"}}"),
        9 => format!("{{}} {message}"),
        10 => format!("{message},"),
        11 => format!("[{{\"id\":0,\"result\":{{}}}},{message}]"),
        12 => format!("[0,\r{message}\r]"),
        13 => format!("{message}\r"),
        14 => format!("\u{b}{message}\u{c}"),
        15 => format!("\"\u{2028}{message}\u{2028}\""),
        16 => format!("{{\"x\":\"\u{85}{message}\u{85}\"}}"),
        17 => {
            return wide(&message)
                .into_iter()
                .flat_map(u16::to_be_bytes)
                .collect();
        }
        18 => {
            return wide(&message)
                .into_iter()
                .flat_map(u16::to_le_bytes)
                .collect();
        }
        19 => {
            let marked = wide(&format!("\u{feff}{message}"));
            return marked.into_iter().flat_map(u16::to_le_bytes).collect();
        }
        20 => {
            let letters = message.chars().map(u32::from);
            return letters.flat_map(u32::to_be_bytes).collect();
        }
        _ => message,
    };
    text.into_bytes()
}
