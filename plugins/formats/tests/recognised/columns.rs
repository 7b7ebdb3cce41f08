//! Columns by position, as programs print them: examples, and texts that are refused.

use crate::is;
use tamis_formats::{Format, read};

#[test]
fn columns_by_position() {
    is(
        "NAME       READY   STATUS    RESTARTS     AGE\nweb-1      1/1     Running   0            5d\nweb-2      0/1     Pending   2 (3m ago)   5d\ndb         1/1     Running   0            61d\n",
        Format::Columns,
        r#"[{"NAME":"web-1","READY":"1/1","STATUS":"Running","RESTARTS":0,"AGE":"5d"},{"NAME":"web-2","READY":"0/1","STATUS":"Pending","RESTARTS":"2 (3m ago)","AGE":"5d"},{"NAME":"db","READY":"1/1","STATUS":"Running","RESTARTS":0,"AGE":"61d"}]"#,
    );
    is(
        "CONTAINER ID   IMAGE     CREATED        PORTS     NAMES\n0123456789ab   web:1     2 hours ago              web\n1123456789ab   db        3 weeks ago    80/tcp    db\n2123456789ab   proxy:2   2 hours ago              px\n",
        Format::Columns,
        r#"[{"CONTAINER ID":"0123456789ab","IMAGE":"web:1","CREATED":"2 hours ago","PORTS":"","NAMES":"web"},{"CONTAINER ID":"1123456789ab","IMAGE":"db","CREATED":"3 weeks ago","PORTS":"80/tcp","NAMES":"db"},{"CONTAINER ID":"2123456789ab","IMAGE":"proxy:2","CREATED":"2 hours ago","PORTS":"","NAMES":"px"}]"#,
    );
    is(
        "    PID TTY          TIME CMD\n      1 ?        00:00:04 init --a b\n   2031 pts/0    00:00:00 bash\n  20310 pts/0    00:00:00 ps\n",
        Format::Columns,
        r#"[{"PID":1,"TTY":"?","TIME":"00:00:04","CMD":"init --a b"},{"PID":2031,"TTY":"pts/0","TIME":"00:00:00","CMD":"bash"},{"PID":20310,"TTY":"pts/0","TIME":"00:00:00","CMD":"ps"}]"#,
    );
    is(
        "Filesystem     1K-blocks    Used Available Use% Mounted on\noverlay        102687672 5120000  97551288   5% /\ntmpfs              65536       0     65536   0% /dev\n/dev/vda1      102687672 5120000  97551288   5% /etc/hosts\n",
        Format::Columns,
        r#"[{"Filesystem":"overlay","1K-blocks":102687672,"Used":5120000,"Available":97551288,"Use%":"5%","Mounted on":"/"},{"Filesystem":"tmpfs","1K-blocks":65536,"Used":0,"Available":65536,"Use%":"0%","Mounted on":"/dev"},{"Filesystem":"/dev/vda1","1K-blocks":102687672,"Used":5120000,"Available":97551288,"Use%":"5%","Mounted on":"/etc/hosts"}]"#,
    );
    is(
        "Package    Version\n---------- -------\npip        24.0\nsetuptools 69.0.3\nwheel      0.42.0\n",
        Format::Columns,
        r#"[{"Package":"pip","Version":24.0},{"Package":"setuptools","Version":"69.0.3"},{"Package":"wheel","Version":"0.42.0"}]"#,
    );
    is(
        "Desired=Unknown/Install/Remove/Purge/Hold\n| Status=Not/Inst/Conf-files\n|/ Err?=(none)/Reinst-required\n||/ Name        Version   Architecture Description\n+++-===========-=========-============-=====================\nii  adduser     3.134     all          add and remove users\nii  apt         2.6.1     amd64        commandline package manager\nrc  base-files  12.4      amd64        Debian base system files\n",
        Format::Columns,
        r#"[{"||/":"ii","Name":"adduser","Version":3.134,"Architecture":"all","Description":"add and remove users"},{"||/":"ii","Name":"apt","Version":"2.6.1","Architecture":"amd64","Description":"commandline package manager"},{"||/":"rc","Name":"base-files","Version":12.4,"Architecture":"amd64","Description":"Debian base system files"}]"#,
    );
}

/// Asserts that nothing is read.
#[track_caller]
fn refused(text: &str) {
    assert_eq!(read(text), None, "{text}");
}

#[test]
fn columns_to_the_right() {
    let squeue = "             JOBID PARTITION     NAME     USER ST  NODES NODELIST(REASON)\n              4000     batch     eval      ana PD      1 (Resources)\n              4001       gpu my job 1      ana  R      2 node02\n              4002     batch    train      bob  R     12 node03\n";
    is(
        squeue,
        Format::Columns,
        r#"[{"JOBID":4000,"PARTITION":"batch","NAME":"eval","USER":"ana","ST":"PD","NODES":1,"NODELIST(REASON)":"(Resources)"},{"JOBID":4001,"PARTITION":"gpu","NAME":"my job 1","USER":"ana","ST":"R","NODES":2,"NODELIST(REASON)":"node02"},{"JOBID":4002,"PARTITION":"batch","NAME":"train","USER":"bob","ST":"R","NODES":12,"NODELIST(REASON)":"node03"}]"#,
    );
    // As pandas prints rows without their index.
    is(
        "host                 msg  pct      comment\n  h0                  ok   25 needs a look\n  h1 disk almost full on   98         none\n h22                  ok  147         none\n  h3                  ok   18         none\n",
        Format::Columns,
        r#"[{"host":"h0","msg":"ok","pct":25,"comment":"needs a look"},{"host":"h1","msg":"disk almost full on","pct":98,"comment":"none"},{"host":"h22","msg":"ok","pct":147,"comment":"none"},{"host":"h3","msg":"ok","pct":18,"comment":"none"}]"#,
    );
    // Nothing shows whether `b` is the end of a name, or the beginning of a size.
    refused("NAM     SIZE\na       5 kB\nxyz bbb 2 kB\nc        7 B\n");
    is(
        "a__aa          a_aa         aa\n10000          1.50 a aaaa aaa\n    0 a aaaaaaaa aa        \" a\n10000        , aaaa a aaaaa aa\n",
        Format::Columns,
        r#"[{"a__aa":10000,"a_aa":1.50,"aa":"a aaaa aaa"},{"a__aa":0,"a_aa":"a aaaaaaaa aa","aa":"\" a"},{"a__aa":10000,"a_aa":", aaaa","aa":"a aaaaa aa"}]"#,
    );
    refused(
        "abcde               j_                  yy__h\n71621               |.          || zvdjng e a\n78546 ';--|z xso imnzs                      0\n14354               +1 k, yrrcnd pewnk qxfmcq\n54973               -3                    007\n",
    );
    // As PowerShell underlines names.
    is(
        "\n NPM(K)     WS(M)      Id ProcessName\n ------     -----      -- -----------\n     69    210.26    1000 Code Helper\n     87 123123.84    1001 svchost\n      5      1.50      12 a\n",
        Format::Columns,
        r#"[{"NPM(K)":69,"WS(M)":210.26,"Id":1000,"ProcessName":"Code Helper"},{"NPM(K)":87,"WS(M)":123123.84,"Id":1001,"ProcessName":"svchost"},{"NPM(K)":5,"WS(M)":1.50,"Id":12,"ProcessName":"a"}]"#,
    );
}

#[test]
fn an_index_has_no_name_in_tables_with_rules() {
    let json =
        r#"[{"":0,"city":"Rio","n":3},{"":1,"city":"Ulm","n":12},{"":2,"city":"Bonn","n":7}]"#;
    is(
        "|    | city   |   n |\n|---:|:-------|----:|\n|  0 | Rio    |   3 |\n|  1 | Ulm    |  12 |\n|  2 | Bonn   |   7 |\n",
        Format::MarkdownTable,
        json,
    );
    is(
        "+----+--------+-----+\n|    | city   |   n |\n|----+--------+-----|\n|  0 | Rio    |   3 |\n|  1 | Ulm    |  12 |\n|  2 | Bonn   |   7 |\n+----+--------+-----+\n",
        Format::Box,
        json,
    );
    is(
        "    city      n\n--  ------  ---\n 0  Rio       3\n 1  Ulm      12\n 2  Bonn      7\n",
        Format::Columns,
        json,
    );
}

#[test]
fn columns_behind_an_index() {
    is(
        "    id      status  total\n0    1  refund due   1.50\n1    2     shipped  12.00\n10  13     shipped  18.88\n",
        Format::Columns,
        r#"[{"":0,"id":1,"status":"refund due","total":1.50},{"":1,"id":2,"status":"shipped","total":12.00},{"":10,"id":13,"status":"shipped","total":18.88}]"#,
    );
    is(
        "              count  max\nNew York          1   15\nRio            1250    6\nSan Salvador     13    7\n",
        Format::Columns,
        r#"[{"":"New York","count":1,"max":15},{"":"Rio","count":1250,"max":6},{"":"San Salvador","count":13,"max":7}]"#,
    );
    let named = "     customer  total\nid                  \n1           3   1.50\n20         92  12.00\n3           1   8.25\n";
    for text in [named, &named.replace("id                  ", "id")] {
        is(
            text,
            Format::Columns,
            r#"[{"id":1,"customer":3,"total":1.50},{"id":20,"customer":92,"total":12.00},{"id":3,"customer":1,"total":8.25}]"#,
        );
    }
    // The columns have a name in common, above that of the index.
    is(
        "region     north  south\ncust                   \ncust-000    6.01   8.31\ncust-001    0.00  10.27\ncust-002    1.50   0.25\n",
        Format::Columns,
        r#"[{"cust":"cust-000","north":6.01,"south":8.31},{"cust":"cust-001","north":0.00,"south":10.27},{"cust":"cust-002","north":1.50,"south":0.25}]"#,
    );
    for text in [
        // The name of a group, or of the index.
        "    count  max\nid\na       1   15\nb    1250    6\ncc     13    7\n",
        // Of two columns before the others, the first is empty where it is as above.
        "            sum  count\nid status             \n1  paid       4      2\n   due        3      1\n2  paid       7      9\n",
        // Rows are left out.
        "     id  total\n0     1   1.50\n1     2  12.00\n..  ...    ...\n98   99   8.25\n99  100   8.25\n",
        "   a word  other\nof these   lines\nhas this   place\n and more   words\n",
    ] {
        refused(text);
    }
}

/// The lines of a table of pods, with more cells than a message has words.
fn pods(rows: usize) -> String {
    let row = |i: usize| {
        format!(
            "{:<10} 1/1     Running     {:<8} 10.0.0.{i}\n",
            format!("web-{i}"),
            format!("{i}d")
        )
    };
    let rows: String = (0..rows).map(row).collect();
    format!("NAME       READY   STATUS      AGE      IP\n{rows}")
}

#[test]
fn a_message_below_columns_is_no_row() {
    let text = pods(12);
    let squeue: String = (0..12)
        .map(|i| format!("{:>10} {:>9}  {:>4} {}\n", 4000 + i, "batch", "ana", "node"))
        .collect();
    let squeue = format!("     JOBID PARTITION  USER NODES\n{squeue}");
    let ps: String = (0..12)
        .map(|i| format!("root   {i:>5}  0.0 ?        Ss   0:39 init --a b\n"))
        .collect();
    let ps = format!("USER     PID %CPU TTY      STAT TIME COMMAND\n{ps}");
    let sacct: String = (0..12)
        .map(|i| format!("{:<6} {:>8} {:>8}\n", 100 + i, "train", "FAILED"))
        .collect();
    let sacct = format!("JobID   JobName    State\n------ -------- --------\n{sacct}");
    for table in [&text, &squeue, &ps, &sacct] {
        let whole = read(table).unwrap_or_else(|| panic!("nothing in {table}"));
        assert_eq!(whole.rows.len(), 12, "{table}");
        for message in [
            "Killed",
            "^C",
            "Segmentation fault",
            "WARN retrying in 5s",
            "Error from server (Forbidden): pods is forbidden",
        ] {
            let text = format!("{table}{message}\n");
            let data = read(&text).unwrap_or_else(|| panic!("nothing in {text}"));
            assert_eq!(data.json, whole.json, "{text}");
            assert_eq!(data.text_after().trim(), message);
        }
    }
    // A row may lack all cells but its name where others lack some, or where all names are numbers.
    let disks: String = (0..12)
        .map(|i| {
            if i % 3 == 0 {
                format!("sd{i}\n")
            } else {
                format!("sd{i:<5} ext4   root\n")
            }
        })
        .collect();
    let text = format!("NAME    FSTYPE LABEL\n{disks}sr0\n");
    assert_eq!(read(&text).map(|data| data.rows.len()), Some(13), "{text}");
}

#[test]
fn a_message_between_columns_is_no_row() {
    let squeue: String = (0..20)
        .map(|i| format!("{:>10} {:>9}  {:>4} {}\n", 4000 + i, "batch", "ana", "node"))
        .collect();
    let sacct: String = (0..20)
        .map(|i| format!("{:<22} {:>8} {:>8}\n", 100 + i, "train", "FAILED"))
        .collect();
    let names: String = (0..20)
        .map(|i| format!("{:<22} {:<8} up\n", ["alpha", "beta", "gamma"][i % 3], "ok"))
        .collect();
    for table in [
        pods(20),
        format!("     JOBID PARTITION  USER NODES\n{squeue}"),
        format!(
            "JobID                   JobName    State\n---------------------- -------- --------\n{sacct}"
        ),
        format!("NAME                   STATE    IS\n{names}"),
    ] {
        assert!(read(&table).is_some(), "{table}");
        let (above, below) = text_halves(&table);
        for message in [
            "Killed",
            "Terminated",
            "^C",
            "failed",
            "logout",
            "Segmentation fault",
            "WARN retrying in 5s",
        ] {
            refused(&format!("{above}{message}\n{below}"));
        }
    }
    // Words that are below two names by chance.
    let (above, below) = text_halves(&pods(20));
    refused(&format!("{above}a failed x E404\n{below}"));
    // The rest of a cell, below it.
    let (above, below) = text_halves(&pods(20));
    refused(&format!("{above}           rest\n{below}"));
}

/// A text up to its middle line, and from there on.
fn text_halves(text: &str) -> (String, String) {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (above, below) = lines.split_at(lines.len() / 2);
    (above.concat(), below.concat())
}

#[test]
fn names_of_two_words_are_one_column() {
    for (names, cells) in [
        (
            ["user ", " last login", "     n"],
            ["alpha", "2024-01-27 03:29", "12"],
        ),
        (
            ["Job  ", "Run Time", "Result"],
            ["job0", "866 min", "failed"],
        ),
        (
            ["TASK ", "DUE DATE", "OWNER"],
            ["beta0", "Mar 24, 2024", "beta"],
        ),
        (
            ["JOB  ", "END TIME", "RESULT"],
            ["alpha", "Jan  9 10:58", "ok"],
        ),
        (
            ["JOB  ", "END TIME", "RESULT"],
            ["alpha", "Feb 25 10:24", "ok"],
        ),
        (["Region", "Unit Price", "Total"], ["eu", "7", "120"]),
    ] {
        let is_right = names[1].starts_with(' ') || cells[1] == "7";
        let line = |cells: [&str; 3]| {
            let [first, middle, last] = cells.map(str::trim);
            match is_right {
                true => format!("{first:<8}{middle:>16}  {last:<8}\n"),
                false => format!("{first:<8}{middle:<16}  {last:<8}\n"),
            }
        };
        let mut text = line(names);
        for _ in 0..10 {
            text += &line(cells);
        }
        let row = line(cells);
        text += &row.replace("Feb 25", "Jan  9");
        let data = read(&text).unwrap_or_else(|| panic!("nothing in {text}"));
        let name = names[1].trim();
        assert!(
            data.json.contains(&format!("\"{name}\":")),
            "{text}{}",
            data.json
        );
    }
    // Words of two columns, two blanks apart.
    let text: String = (0..12)
        .map(|i| {
            format!(
                "{:>8}  {:>9}  {i:>5}\n",
                format!("{:08x}", i * 7_919),
                format!("{:09x}", i * 104_729)
            )
        })
        .collect();
    let text = format!("     age node name  count\n{text}");
    assert!(
        read(&text).is_none_or(|data| !data.json.contains("age node")),
        "{text}"
    );
    // One blank is between other columns, too.
    for text in [
        "user       last login   n\nbeta 2024-01-03 20:28   4\nalph 2024-01-27 03:29  10\ndelt 2024-01-15 13:50   2\n",
        "name note  value  host\nbeta        7960 gamma\nalph        3590  beta\nabc        12345  delt\n",
        "  metric Unit  Price\n  alpha4   12   1.50\nbeta-123  123  12.00\n   gamma    1   1.00\n",
    ] {
        let read = read(text);
        let is_split = |json: &str| {
            json.contains("\"last\"") || json.contains("name note") || json.contains("metric Unit")
        };
        assert!(read.is_none_or(|data| !is_split(&data.json)), "{text}");
    }
}

#[test]
fn a_cell_that_pushes_others_aside_ends_the_table() {
    let row = |title: &str, state: &str, count: usize| format!("{title:<12} {state:<8} {count}\n");
    let mut text = row("title", "state", 0).replace('0', "count");
    for at in 0..12 {
        text += &row(&format!("copy {at}"), "ok", 100 + at);
    }
    assert!(read(&text).is_some(), "{text}");
    refused(&format!(
        "{text}{}",
        row("a copy a refused connection", "ok", 6648)
    ));
}

#[test]
fn signs_in_names_of_columns() {
    is(
        "NAME    CPU %     MEM USAGE / LIMIT     PIDS\nweb0    13.51%    577.4MiB / 7.6GiB     0\nweb1    6.26%     841.7MiB / 7.6GiB     1\nweb2    12.40%    630.9MiB / 7.6GiB     12\n",
        Format::Columns,
        r#"[{"NAME":"web0","CPU %":"13.51%","MEM USAGE / LIMIT":"577.4MiB / 7.6GiB","PIDS":0},{"NAME":"web1","CPU %":"6.26%","MEM USAGE / LIMIT":"841.7MiB / 7.6GiB","PIDS":1},{"NAME":"web2","CPU %":"12.40%","MEM USAGE / LIMIT":"630.9MiB / 7.6GiB","PIDS":12}]"#,
    );
}

#[test]
fn the_rule_below_the_rows_is_no_row() {
    let json = r#"[{"i":1,"name":"Ada"},{"i":2,"name":"Alan"},{"i":3,"name":"Grace"}]"#;
    let rows = "i  name\nRULE\n1  Ada\n2  Alan\n3  Grace\nRULE\n";
    for rule in ["=  =====", "-  -----"] {
        for after in ["", "\nTotal: 3\n"] {
            let text = format!("RULE\n{rows}{after}").replace("RULE", rule);
            is(&text, Format::Columns, json);
        }
    }
}

#[test]
fn columns_of_other_programs() {
    // A wide cell pushes others aside.
    let long = "x ".repeat(1_500);
    let ps = format!(
        "USER       PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\nroot         1  0.3  0.0  39460 10700 ?        SLl  18:39   0:09 /init --a b\nwww-data-long 20310 12.5  0.0 12431672 0 ?  S    May01   0:00 [kthreadd]\napp         17  0.0  0.0      0     0 pts/1    S    18:39   0:00 {long}\n"
    );
    let json = format!(
        r#"[{{"USER":"root","PID":1,"%CPU":0.3,"%MEM":0.0,"VSZ":39460,"RSS":10700,"TTY":"?","STAT":"SLl","START":"18:39","TIME":"0:09","COMMAND":"/init --a b"}},{{"USER":"www-data-long","PID":20310,"%CPU":12.5,"%MEM":0.0,"VSZ":12431672,"RSS":0,"TTY":"?","STAT":"S","START":"May01","TIME":"0:00","COMMAND":"[kthreadd]"}},{{"USER":"app","PID":17,"%CPU":0.0,"%MEM":0.0,"VSZ":0,"RSS":0,"TTY":"pts/1","STAT":"S","START":"18:39","TIME":"0:00","COMMAND":"{}"}}]"#,
        long.trim_end()
    );
    is(&ps, Format::Columns, &json);
    for (from, to) in [
        ("    1  0.3", "    x  0.3"),
        ("0.3", "?"),
        ("START", "STARTED"),
        ("COMMAND", "WHAT"),
        ("10700 ?", "10700\t?"),
    ] {
        assert!(read(&ps.replace(from, to)).is_none(), "{to}");
    }
    is(
        "Name          Stmts   Miss  Cover   Missing\n-------------------------------------------\napp/a.py        161      0   100%\napp/b.py         54     12    77%   91, 179\napp/c.py          5      0   100%\n-------------------------------------------\nTOTAL           220     12    94%\n",
        Format::Columns,
        r#"[{"Name":"app/a.py","Stmts":161,"Miss":0,"Cover":"100%","Missing":""},{"Name":"app/b.py","Stmts":54,"Miss":12,"Cover":"77%","Missing":"91, 179"},{"Name":"app/c.py","Stmts":5,"Miss":0,"Cover":"100%","Missing":""}]"#,
    );
    is(
        "  UNIT             LOAD   ACTIVE SUB     DESCRIPTION\n  a.service        loaded active running One of them\n● b.service        loaded failed failed  Another one\n  long-c.service   loaded active exited  The last\n\n3 loaded units listed.\n",
        Format::Columns,
        r#"[{"UNIT":"a.service","LOAD":"loaded","ACTIVE":"active","SUB":"running","DESCRIPTION":"One of them"},{"UNIT":"● b.service","LOAD":"loaded","ACTIVE":"failed","SUB":"failed","DESCRIPTION":"Another one"},{"UNIT":"long-c.service","LOAD":"loaded","ACTIVE":"active","SUB":"exited","DESCRIPTION":"The last"}]"#,
    );
}
