//! XML that is data with flaws, and logs that name their columns.

use crate::loose::{loose, others, refused, value};
use serde_json::json;
use tamis_formats::Format;

#[test]
fn xml_may_have_comments_between_elements() {
    let text = "<?xml version=\"1.0\"?>\n<!-- generated -->\n<a>\n <!-- é -->\n <b>1</b><!-- x -->\
        <b><![CDATA[<!-- in -->]]></b>\n <b>3</b>\n <!-- y --></a>\n";
    let data = loose(text);
    assert_eq!(data.format, Format::Xml);
    assert_eq!(value(&data), json!({"a": {"b": [1, "<!-- in -->", 3]}}));
    let comments = ["<!-- é -->", "<!-- x -->", "<!-- y -->"];
    assert_eq!(others(text, &data), comments);
    assert!(data.source().starts_with("<a>") && data.source().ends_with("</a>"));
}

#[test]
fn xml_may_have_other_elements_between_those_of_one_name() {
    let text = "<?xml version=\"1.0\"?>\n<run>\n <start at='1'/>\n <end at='2'/>\n <start at='3'/>\n\
        <host><ip>10.0.0.1</ip></host><!-- slow -->\n<host up='no'/>\n <end at='4'/>\n <host/>\n\
        <host/><host/></run>\n";
    let data = loose(text);
    assert_eq!(data.format, Format::Xml);
    let run = json!({
        "start": [{"@at": 1}, {"@at": 3}],
        "end": [{"@at": 2}, {"@at": 4}],
        "host": [{"ip": "10.0.0.1"}, {"@up": "no"}, "", "", ""],
    });
    assert_eq!(value(&data), json!({"run": run}));
    assert_eq!(others(text, &data), ["<!-- slow -->"]);
}

#[test]
fn xml_may_have_elements_in_texts() {
    let text = "<set>\n <title>Of <i>E. coli</i> &amp; more</title>\n <title>Of H<sub>2</sub>O </title>\n\
        <title lang='de'>Rest: <x n='1'>a<y/></x></title>\n\
        <note>These notes say no more than the titles above, but they have as many words as a note has, and\n\
        a few more: that is why the titles are a small part of this set of titles and of notes.</note>\n</set>";
    let titles = json!([
        "Of <i>E. coli</i> &amp; more",
        "Of H<sub>2</sub>O ",
        {"@lang": "de", "#text": "Rest: <x n='1'>a<y/></x>"},
    ]);
    assert_eq!(value(&loose(text))["set"]["title"], titles);
    let long = format!(
        "<set>{}<t>{}<i>x</i></t></set>",
        "<t>words and words</t>".repeat(900),
        "word ".repeat(900)
    );
    for text in [
        "<set><t>a<i>b</t></i><t/><t/><t/></set>",
        "<set><t>a & <i>b</i></t><t/><t/><t/></set>",
        // Most of it is such a text.
        "<set><t>a long <i>text</i> in place of data</t><t/><t/><t/></set>",
        // Pages have an order.
        "<div><p>a</p><p>b</p><p>c</p><h2>d</h2><p>e</p></div>",
        "<ul><li>a <b>b</b></li><li>c</li><li>d</li></ul>",
        &long,
    ] {
        refused(text);
    }
}

#[test]
fn logs_may_name_their_columns_in_a_line() {
    let iis = "#Software: a server\r\n#Version: 1.0\r\n#Fields: date time cs-uri-stem cs(User-Agent) sc-status\r\n\
        2025-01-31 10:00:00 /a Agent/1.0+(x) 200\r\n2025-01-31 10:00:01 /b - 404\r\n#Version: 1.0\r\n\
        #Fields: date time cs-uri-stem cs(User-Agent) sc-status\r\n2025-01-31 10:00:02 /c - 500\r\n";
    let data = loose(iis);
    assert_eq!(data.rows.len(), 3);
    let row = json!({"date": "2025-01-31", "time": "10:00:02", "cs-uri-stem": "/c", "cs(User-Agent)": "-", "sc-status": 500});
    assert_eq!(value(&data)[2], row);
    assert_eq!(others(iis, &data).len(), 2);
    let zeek = "#separator \\x09\n#path\tconn\n#fields\tts\tuid\tid.orig_p\n#types\ttime\tstring\tport\n\
        1.5\tCa\t52025\n2.5\tCb c\t52026\n3.5\tCc\t52027\n#close\t2025-01-31\n";
    let data = loose(zeek);
    assert_eq!(
        value(&data)[1],
        json!({"ts": 2.5, "uid": "Cb c", "id.orig_p": 52026})
    );
    assert_eq!(
        (data.rows.len(), data.text_after()),
        (3, "\n#close\t2025-01-31\n")
    );
    for text in [
        iis.replacen(
            "date time cs-uri-stem cs(User-Agent)",
            "time date cs-uri-stem cs(User-Agent)",
            1,
        ),
        iis.replace("/b - 404", "/b 404"),
        iis.replace("#Fields: ", "#Field: "),
    ] {
        refused(&text);
    }
}
