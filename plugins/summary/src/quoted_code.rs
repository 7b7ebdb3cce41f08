//! Code that a line quotes: what it mentions happened nowhere.
//!
//! Owns the forms of such lines in results of tools that look at code. Refuses to know failures.

use crate::landmarks::{is_code, is_definition};
use crate::search::split;
use crate::signs::{Line, Signs};
use crate::trim::{trim, trim_start};
use tamis_formats::words;

/// Members whose strings are code in results of searches.
const KEYS: [&str; 12] = [
    "text",
    "lines",
    "line",
    "code",
    "source",
    "snippet",
    "content",
    "body",
    "match",
    "context",
    "signature",
    "preview",
];
/// Fewest cells of a row of a list of symbols.
const CELLS: usize = 4;

/// Whether a line has code as a member, `"text": "function a() {\n  throw b;\n}"`, or is a row of a list of symbols that has
/// a definition and its line, `onerror,function,function onerror(err),938,942,errors`.
#[inline(never)]
pub fn is_in<'t>(line: impl Into<Line<'t>>) -> bool {
    let line = line.into();
    line.signs.have(Signs::QUOTE) && is_member(trim(line.text)) || is_symbol(line)
}

fn is_member(line: &str) -> bool {
    let member = line.strip_prefix('"').and_then(|rest| split(rest, "\":"));
    let Some((key, value)) = member.filter(|(key, _)| KEYS.contains(key)) else {
        return false;
    };
    let value = value.trim_matches([' ', ',']);
    let Some(value) = value.strip_prefix('"').and_then(|it| it.strip_suffix('"')) else {
        return false;
    };
    let (mut code, mut others) = (0, 0);
    for part in value.split("\\n").map(trim).filter(|part| !part.is_empty()) {
        match is_code(part) || part.starts_with(['*', '}', ')', '<']) {
            true => code += 1,
            false => others += 1,
        }
    }
    let is_body = value.contains("\\n") && value.contains(['{', ';', '(']);
    code > others && (is_body || key == "signature" || value.ends_with([';', '{', '}']))
}

/// Whether a cell is a definition and nothing else, or its beginning up to a comma between its parameters.
fn is_cell(cell: &str) -> bool {
    let end = trim(cell).trim_end_matches('"');
    let is_whole = end.ends_with([')', '{', ':', ';']);
    is_definition(cell) && (is_whole || !end.contains(')'))
}

/// Whether most lines are rows of a list of symbols: each has a kind of symbol and the number of a line.
pub fn are_symbols<'t>(lines: impl Iterator<Item = &'t str>) -> bool {
    const KINDS: [&str; 10] = [
        "variable",
        "function",
        "class",
        "method",
        "constant",
        "struct",
        "enum",
        "interface",
        "property",
        "type",
    ];
    let (mut symbols, mut others) = (0, 0);
    for line in lines.filter(|line| !trim(line).is_empty()) {
        let has =
            |is: &dyn Fn(&str) -> bool| line.split([',', '\t', '|']).any(|cell| is(trim(cell)));
        match has(&|cell| KINDS.contains(&cell)) && has(&is_number) {
            true => symbols += 1,
            false => others += 1,
        }
    }
    symbols > others
}

fn is_number(cell: &str) -> bool {
    !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_symbol(
    Line {
        text: line, signs, ..
    }: Line<'_>,
) -> bool {
    const SEPARATORS: [(u8, Signs); 3] = [
        (b',', Signs::COMMA),
        (b'\t', Signs::OTHER),
        (b'|', Signs::BAR),
    ];
    for (sign, _) in SEPARATORS.into_iter().filter(|(_, of)| signs.have(*of)) {
        let cells = || {
            line.split(char::from(sign))
                .map(|cell| trim_start(cell).trim_start_matches('"'))
        };
        if words::count(line.as_bytes(), sign) + 1 >= CELLS
            && cells().any(is_cell)
            && cells().any(|cell| is_number(trim(cell)))
        {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_in_members_and_in_lists_of_symbols() {
        for line in [
            r#"    "text": "function a() {\n  let err = new Error('Request aborted');\n  callback(err);\n}","#,
            r#""lines": "  throw new Error('failed');""#,
            r#""code": "def a():\n    raise Error(\"failed\")\n    return 1""#,
            "s,lib/a.js::onaborted#function,onaborted,function,function onaborted(),918,925,@1,request aborted",
            "onerror | function onerror(err) | 938 | errors",
        ] {
            assert!(is_in(line), "{line}");
        }
        for line in [
            r#""text": "error: the build failed""#,
            r#""text": "Traceback (most recent call last):\n  File \"a.py\"\nValueError: no""#,
            r#""stderr": "function a() {\n  throw b;\n}""#,
            r#""message": "failed;""#,
            r#""text": "build started\nerror: it failed\ndone {}""#,
            "error, function a() failed, at, 12",
            "918,925,request aborted,failed",
            "",
        ] {
            assert!(!is_in(line), "{line}");
        }
        let symbols = [
            "s,a,onerror,function,function onerror(err),938,942,errors",
            "s,b,c,variable,let c = d,1,1,",
            "of a.js",
        ];
        assert!(are_symbols(symbols.into_iter()));
        assert!(!are_symbols(
            "a,1,function of it\nb,2,c\nvariable,3,d\n".lines()
        ));
    }
}
