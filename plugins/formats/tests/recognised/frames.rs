//! Data frames as pandas, polars and R print them, and lists of systems with headers in a comment: names that are numbers,
//! types of columns, rows and columns that are left out.

use crate::{check, is};
use tamis_formats::{Data, Format, read, read_loosely};

/// Asserts the number of rows that a text has for a reader that need not restore it, and the lines that are none.
#[track_caller]
fn has(text: &str, format: Format, rows: usize, first: &str, others: &[&str]) {
    let data = read_loosely(text).unwrap_or_else(|| panic!("nothing in\n{text}"));
    check(text, &data);
    assert_eq!((data.format, data.rows.len()), (format, rows), "{text}");
    assert!(data.json.starts_with(first), "{text}{}", data.json);
    let found: Vec<&str> = data.others.iter().map(|line| &text[line.clone()]).collect();
    assert_eq!(found, others, "{text}");
}

/// Rows of a table of polars, with this sign between cells and at both ends.
fn polars(rows: usize, outer: &str, inner: &str) -> Vec<String> {
    let row = |at: usize| {
        let name = ["ada", "b c", "dora"][at % 3];
        format!(
            "{outer} {at:<3} {inner} {name:<4} {inner} {:<5} {outer}",
            format!("{at}.5")
        )
    };
    (0..rows).map(row).collect()
}

/// The names, the dashes and the types above them.
fn types(outer: &str, inner: &str) -> [String; 3] {
    [["id", "name", "cost"], ["---"; 3], ["i64", "str", "f64"]].map(|[one, two, three]| {
        format!("{outer} {one:<3} {inner} {two:<4} {inner} {three:<5} {outer}")
    })
}

const FIRST: &str = r#"[{"id":0,"name":"ada","cost":0.5},{"id":1,"name":"b c","cost":1.5},"#;

#[test]
fn types_of_columns_are_no_row() {
    let markdown = |rows: &[String]| {
        let types = types("|", "|").join("\n");
        format!(
            "shape: (12, 3)\n{types}\n|-----|------|-------|\n{}\n",
            rows.join("\n")
        )
    };
    let rows = polars(12, "|", "|");
    let text = markdown(&rows);
    has(&text, Format::MarkdownTable, 12, FIRST, &[]);
    // The rows cannot be written again below them.
    assert_eq!(read(&text), None);
    let ascii = |rows: &[String]| {
        let types = types("|", "|").join("\n");
        format!(
            "+-----+------+-------+\n{types}\n+====================+\n{}\n+-----+------+-------+\n",
            rows.join("\n")
        )
    };
    has(&ascii(&rows), Format::Box, 12, FIRST, &[]);
    // With a rule below each row.
    let grid = rows.join("\n|-----+------+-------|\n");
    has(&ascii(&[grid]), Format::Box, 12, FIRST, &[]);
    let drawn = |rows: &[String]| {
        let types = types("│", "┆").join("\n");
        format!(
            "┌─────┬──────┬───────┐\n{types}\n╞═════╪══════╪═══════╡\n{}\n└─────┴──────┴───────┘\n",
            rows.join("\n")
        )
    };
    let rows = polars(12, "│", "┆");
    for text in [
        drawn(&rows),
        drawn(&[rows.join("\n├╌╌╌╌╌┼╌╌╌╌╌╌┼╌╌╌╌╌╌╌┤\n")]),
    ] {
        has(&text, Format::Box, 12, FIRST, &[]);
        assert_eq!(read(&text).map(|data| data.rows.len()), Some(12));
        let text = format!("shape: (12, 3)\n{text}");
        has(&text, Format::Box, 12, FIRST, &[]);
        // The shape tells that a row is missing.
        let text = text.replace("(12, 3)", "(13, 3)");
        assert_eq!((read(&text), read_loosely(&text)), (None, None));
    }
    let rows = polars(12, "", " ");
    for types in [
        types("", " ").join("\n"),
        [&types("", " ")[0][..], &types("", " ")[2]].join("\n"),
    ] {
        let text = format!("{types}\n{}\n", rows.join("\n"));
        has(&text, Format::Columns, 12, FIRST, &[]);
    }
    let tibble: String = (1..=12)
        .map(|at| format!("{at:>3} {:<9} {:>5} 2024-01-02\n", format!("job {at}"), at))
        .collect();
    let tibble = format!(
        "# A tibble: 12 × 3\n    name      value date      \n    <chr>     <dbl> <date>    \n{tibble}"
    );
    has(
        &tibble,
        Format::Columns,
        12,
        r#"[{"":1,"name":"job 1","value":1,"date":"2024-01-02"},"#,
        &[],
    );
    // A row of such words is one, if nothing shows that they are types.
    let text = "NAME    KIND\ndate    time\nlist    array\nenum    struct\n";
    has(
        text,
        Format::Columns,
        3,
        r#"[{"NAME":"date","KIND":"time"},"#,
        &[],
    );
}

#[test]
fn rows_of_dots_stand_for_others() {
    let with_dots = |mut rows: Vec<String>, dots: &str| {
        rows.insert(6, dots.to_owned());
        rows.join("\n")
    };
    let types = |outer: &str, inner: &str| types(outer, inner).join("\n");
    let dots = "│ …   ┆ …    ┆ …     │";
    let rows = with_dots(polars(12, "│", "┆"), dots);
    let drawn = format!(
        "┌─────┬──────┬───────┐\n{}\n╞═════╪══════╪═══════╡\n{rows}\n└─────┴──────┴───────┘\n",
        types("│", "┆")
    );
    for text in [drawn.clone(), format!("shape: (1_200, 3)\n{drawn}")] {
        has(&text, Format::Box, 12, FIRST, &[dots]);
        assert_eq!(read(&text), None);
    }
    let dots = "| …   | …    | …     |";
    let rows = with_dots(polars(12, "|", "|"), dots);
    let names = "| id  | name | cost  |\n|-----|------|-------|";
    let markdown = format!("{names}\n{rows}\n");
    has(&markdown, Format::MarkdownTable, 12, FIRST, &[dots]);
    assert_eq!(read(&markdown), None);
    let pandas = "     id  cost         when\n0     1   1.50   2024-01-01\n1     2  12.00   2024-01-01\n..  ...    ...          ...\n98   99   8.25   2024-03-01\n99  100   8.25   2024-03-01\n\n[100 rows x 3 columns]\n";
    has(
        pandas,
        Format::Columns,
        4,
        r#"[{"":0,"id":1,"cost":1.50,"when":"2024-01-01"},"#,
        &["..  ...    ...          ..."],
    );
    assert_eq!(read(pandas), None);
}

/// Rows of a data frame: the names, and a line for each row.
fn frame(names: &str, rows: &[&str]) -> String {
    format!("{names}\n{}\n", rows.join("\n"))
}

#[test]
fn names_that_are_numbers() {
    is(
        &frame(
            "    2023   2024  note",
            &[
                "0   1.50  12.25     a",
                "1  12.00   7.00   b c",
                "2   8.25   0.50     d",
            ],
        ),
        Format::Columns,
        r#"[{"":0,"2023":1.50,"2024":12.25,"note":"a"},{"":1,"2023":12.00,"2024":7.00,"note":"b c"},{"":2,"2023":8.25,"2024":0.50,"note":"d"}]"#,
    );
    is(
        &frame(
            "year   2023   2024\ncity              ",
            &[
                "Rio    1.50  12.25",
                "Ulm   12.00   7.00",
                "Bonn   8.25   0.50",
            ],
        ),
        Format::Columns,
        r#"[{"city":"Rio","2023":1.50,"2024":12.25},{"city":"Ulm","2023":12.00,"2024":7.00},{"city":"Bonn","2023":8.25,"2024":0.50}]"#,
    );
    is(
        &frame(
            "         0     1",
            &["name   ada   bob", "id       1    12", "note   b c     d"],
        ),
        Format::Columns,
        r#"[{"":"name","0":"ada","1":"bob"},{"":"id","0":1,"1":12},{"":"note","0":"b c","1":"d"}]"#,
    );
    // Columns that are left out.
    is(
        &frame(
            "     name  ...  cost",
            &[
                "0     ada  ...  1.50",
                "1     bob  ...  2.50",
                "2    dora  ...  0.25",
            ],
        ),
        Format::Columns,
        r#"[{"":0,"name":"ada","...":"...","cost":1.50},{"":1,"name":"bob","...":"...","cost":2.50},{"":2,"name":"dora","...":"...","cost":0.25}]"#,
    );
    for text in [
        // Numbers alone, a first column with other cells, and cells below dots.
        frame(
            "     12   345",
            &[
                "1    15   400",
                "2    18   500",
                "7     1    12",
                "4     1    12",
            ],
        ),
        frame(
            "   12   345  total",
            &["  15   400  a", "  18   500  b", "   1    12  c"],
        ),
        frame(
            "     2023   2024",
            &["a    1.50  12.25", "b   12.00   7.00", "c    8.25   0.50"],
        ),
        frame(
            "     name  ...  cost",
            &[
                "0     ada  ...  1.50",
                "1     bob    x  2.50",
                "2    dora  ...  0.25",
            ],
        ),
    ] {
        assert_eq!(read(&text), None, "{text}");
    }
}

#[test]
fn an_index_one_blank_from_the_first_column() {
    is(
        &frame(
            "          a         b",
            &[
                "0  0.345584  0.821618",
                "1 -1.889013 -0.174772",
                "2  0.028422  0.546713",
            ],
        ),
        Format::Columns,
        r#"[{"":0,"a":0.345584,"b":0.821618},{"":1,"a":-1.889013,"b":-0.174772},{"":2,"a":0.028422,"b":0.546713}]"#,
    );
    // As R prints it.
    is(
        &frame(
            "        name value     note",
            &[
                "1        ada  1.50 New York",
                "2 dora-maria 12.25     <NA>",
                "3          b  0.50        x",
            ],
        ),
        Format::Columns,
        r#"[{"":1,"name":"ada","value":1.50,"note":"New York"},{"":2,"name":"dora-maria","value":12.25,"note":"<NA>"},{"":3,"name":"b","value":0.50,"note":"x"}]"#,
    );
    // Words of one index or two columns.
    assert_eq!(
        read(&frame(
            "      count  max",
            &["New York  1   15", "Rio Sul 250    6", "Sao Tome 13    7"]
        )),
        None
    );
}

#[test]
fn a_date_belongs_to_its_time() {
    is(
        &frame(
            "   qty                when",
            &[
                "0  2.0 2024-01-01 00:00:00",
                "1  NaN 2024-01-02 10:00:00",
                "2  1.0 2024-01-03 20:30:00",
            ],
        ),
        Format::Columns,
        r#"[{"":0,"qty":2.0,"when":"2024-01-01 00:00:00"},{"":1,"qty":"NaN","when":"2024-01-02 10:00:00"},{"":2,"qty":1.0,"when":"2024-01-03 20:30:00"}]"#,
    );
}

#[test]
fn headers_in_a_comment() {
    let rows = "pip                       24.0                      pypi_0  pypi\nabseil-cpp                20211102.0            hd4dd3e8_0  \nzlib                      1.2.13                h5eee18b_1  conda-forge\n";
    let text = format!(
        "# packages in environment at /opt/conda:\n#\n# Name                    Version                   Build  Channel\n{rows}"
    );
    is(
        &text,
        Format::Columns,
        r#"[{"Name":"pip","Version":24.0,"Build":"pypi_0","Channel":"pypi"},{"Name":"abseil-cpp","Version":20211102.0,"Build":"hd4dd3e8_0","Channel":""},{"Name":"zlib","Version":"1.2.13","Build":"h5eee18b_1","Channel":"conda-forge"}]"#,
    );
    let perf = "# Overhead  Command  Shared Object  Symbol\n# ........  .......  .............  ..........\n     3.57%  cache    [kernel]       [.] redis28\n    15.09%  redis    libc.so.6      [k] web17\n     0.51%  delta    [kernel]       [.] db\n";
    is(
        perf,
        Format::Columns,
        r#"[{"Overhead":"3.57%","Command":"cache","Shared Object":"[kernel]","Symbol":"[.] redis28"},{"Overhead":"15.09%","Command":"redis","Shared Object":"libc.so.6","Symbol":"[k] web17"},{"Overhead":"0.51%","Command":"delta","Shared Object":"[kernel]","Symbol":"[.] db"}]"#,
    );
    assert_eq!(
        read("# some words  and others\nalpha  beta 1\ngamma  delta 2\nb  c 3\n")
            .map(|data: Data<'_>| data.json),
        None
    );
}

#[test]
fn lists_of_windows() {
    let tasks = "\nImage Name                     PID Session Name        Session#    Mem Usage\n========================= ======== ================ =========== ============\nSystem Idle Process              0 Services                   0          8 K\nsvchost.exe                    912 Services                   0     24,532 K\ncode.exe                     12044 Console                    1    132,104 K\n";
    is(
        tasks,
        Format::Columns,
        r#"[{"Image Name":"System Idle Process","PID":0,"Session Name":"Services","Session#":0,"Mem Usage":"8 K"},{"Image Name":"svchost.exe","PID":912,"Session Name":"Services","Session#":0,"Mem Usage":"24,532 K"},{"Image Name":"code.exe","PID":12044,"Session Name":"Console","Session#":1,"Mem Usage":"132,104 K"}]"#,
    );
    let services = "\nStatus   Name               DisplayName\n------   ----               -----------\nStopped  AJRouter           AllJoyn Router Service\nRunning  Audiosrv           Windows Audio\nStopped  ALG                Application Layer Gateway Ser...\n";
    is(
        services,
        Format::Columns,
        r#"[{"Status":"Stopped","Name":"AJRouter","DisplayName":"AllJoyn Router Service"},{"Status":"Running","Name":"Audiosrv","DisplayName":"Windows Audio"},{"Status":"Stopped","Name":"ALG","DisplayName":"Application Layer Gateway Ser..."}]"#,
    );
    let jobs = "JOBID  JOB_NAME   SUBMIT_TIME\n1000   nginx      Jan 17 10:22\n1001   alpha-main Jan  9 10:22\n1002   db         Jan 20 10:22\n";
    is(
        jobs,
        Format::Columns,
        r#"[{"JOBID":1000,"JOB_NAME":"nginx","SUBMIT_TIME":"Jan 17 10:22"},{"JOBID":1001,"JOB_NAME":"alpha-main","SUBMIT_TIME":"Jan  9 10:22"},{"JOBID":1002,"JOB_NAME":"db","SUBMIT_TIME":"Jan 20 10:22"}]"#,
    );
}

#[test]
fn a_rule_inside_of_a_frame_begins_none() {
    // The frame has a cell of two lines, or another number of rules than rows.
    let grid = "+----+-------+\n| id | name  |\n|    | again |\n+====+=======+\n| 1  | ada   |\n+----+-------+\n| 2  | bob   |\n+----+-------+\n| 3  | dora  |\n+----+-------+\n| 4  | eve   |\n+----+-------+\n";
    for text in [
        grid.to_owned(),
        grid.replace("|    | again |\n", "")
            .replace("| 2  | bob   |\n+----+-------+\n", "| 2  | bob   |\n"),
    ] {
        assert_eq!((read(&text), read_loosely(&text)), (None, None), "{text}");
    }
}

/// Asserts the data of a text for a reader that need not restore it.
#[track_caller]
fn loose(text: &str, json: &str, others: &[&str]) {
    let data = read_loosely(text).unwrap_or_else(|| panic!("nothing in\n{text}"));
    assert_eq!(data.json, json, "{text}");
    let parts = [data.text_before(), data.source(), data.text_after()].concat();
    assert_eq!(parts, text);
    let found: Vec<&str> = data.others.iter().map(|line| &text[line.clone()]).collect();
    assert_eq!(found, others, "{text}");
    // The rows cannot be written again below their names.
    assert_eq!(read(text), None, "{text}");
}

#[test]
fn a_series_has_its_name_below() {
    loose(
        "0       1.50\n1     -12.00\n10      8.25\nName: cost, dtype: float64\n",
        r#"[{"":0,"cost":1.50},{"":1,"cost":-12.00},{"":10,"cost":8.25}]"#,
        &[],
    );
    loose(
        "city\nRio          3\nNew York    12\nUlm          1\nName: count, dtype: int64\n",
        r#"[{"city":"Rio","count":3},{"city":"New York","count":12},{"city":"Ulm","count":1}]"#,
        &[],
    );
    loose(
        "id        int64\nname     object\nnote     object\ndtype: object\n",
        r#"[{"":"id","value":"int64"},{"":"name","value":"object"},{"":"note","value":"object"}]"#,
        &[],
    );
    loose(
        "0        1.50\n1        2.50\n        ...  \n398    305.72\n399    385.74\nName: cost, Length: 400, dtype: float64\n",
        r#"[{"":0,"cost":1.50},{"":1,"cost":2.50},{"":398,"cost":305.72},{"":399,"cost":385.74}]"#,
        &["        ...  "],
    );
    loose(
        "city  year\nRio   2023     1.50\n      2024    12.00\nUlm   2023     8.25\n      2024     0.50\nName: cost, dtype: float64\n",
        r#"[{"city":"Rio","year":2023,"cost":1.50},{"city":"Rio","year":2024,"cost":12.00},{"city":"Ulm","year":2023,"cost":8.25},{"city":"Ulm","year":2024,"cost":0.50}]"#,
        &[],
    );
    let data = read_loosely(
        "Costs\n\n0       1.50\n1     -12.00\n10      8.25\nName: cost, dtype: float64\n",
    );
    assert_eq!(data.map(|data| data.rows.len()), Some(3));
    for text in [
        // Without its type, an index of two columns without names, words of another program.
        "0     1.50\n1    12.00\n2     8.25\n",
        "0  a     1.50\n   b    12.00\n1  a     8.25\n   b     0.50\ndtype: float64\n",
        "0     1.50\n1    12.00\nKilled\n2     8.25\nName: cost, dtype: float64\n",
        "0     1.50\n1    12.00\n\n2     8.25\nName: cost, dtype: float64\n",
    ] {
        assert_eq!(
            read_loosely(text).map(|data: Data<'_>| data.json),
            None,
            "{text}"
        );
    }
}

#[test]
fn levels_of_an_index_are_columns() {
    let text = "            cost    n\ncity year            \nRio  2023   1.50    3\n     2024  12.00   12\nUlm  2023   8.25    7\n     2024   0.50  140\n";
    loose(
        text,
        r#"[{"city":"Rio","year":2023,"cost":1.50,"n":3},{"city":"Rio","year":2024,"cost":12.00,"n":12},{"city":"Ulm","year":2023,"cost":8.25,"n":7},{"city":"Ulm","year":2024,"cost":0.50,"n":140}]"#,
        &[],
    );
    let data = read_loosely(text).expect("a frame");
    assert_eq!(&text[data.rows[1].clone()], "     2024  12.00   12");
}

#[test]
fn levels_without_names_are_no_column() {
    let row = |at: usize| {
        let outer = ["Rio", "", "", "Ulm", "", ""][at % 6];
        format!("{outer:3} {at:<2}  {:6}  {:3}\n", at * 3, at * 7)
    };
    let rows: String = (0..12).map(row).collect();
    let names = "          cost    n\n";
    for above in [names.to_owned(), format!("{names}city               \n")] {
        let text = format!("{above}{rows}");
        assert_eq!(read_loosely(&text), None, "{text}");
    }
    // Numbers of rows may be in line on the right.
    let row = |at: usize| format!("{at:2}  {:6}  {:3}\n", at * 3, at * 7);
    let rows: String = (0..12).map(row).collect();
    let text = format!("      cost    n\n{rows}");
    let first = r#"[{"":0,"cost":0,"n":0},"#;
    has(&text, Format::Columns, 12, first, &[]);
}
