//! A running proxy whose store cannot take an original: the result passes uncut, and the operator is told. Once there
//! is room again, results are cut and originals stored again.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::support::mcp::{Client, Stage, references};
use crate::support::{Program, tamis_run};
use rustix::process::geteuid;
use serde_json::{Value, json};

const POLICY: &str = "[[chain]]\ntools = [\"result_*\"]\nsteps = [{ filter = \"pending-to-meta\", limits = { time = \"10s\" } }]\n";

/// A result that differs for each number.
fn result(number: usize) -> Value {
    let rows: Vec<Value> = (0..300).map(|id| json!({"id": id, "of": number})).collect();
    let hint = "ACTION REQUIRED: ".repeat(30);
    let document =
        json!({"rows": rows, "_pending_annotations": {"count": 1, "nodes": ["a"], "hint": hint}});
    json!({"content": [{"type": "text", "text": document.to_string()}]})
}

fn stage() -> Stage {
    let stage = Stage::new(POLICY);
    for number in 0..10 {
        stage.tool(&format!("result_{number}"), result(number).to_string());
    }
    stage
}

/// Checks that a call's result is cut, and that its original can be read.
#[track_caller]
fn is_cut_and_kept(client: &mut Client, number: usize) {
    let got = client.call(&format!("result_{number}"), &json!({}));
    assert!(
        !got.to_string().contains("ACTION REQUIRED"),
        "{number} was not cut"
    );
    let text = got.to_string();
    let reference = references(&text).next().expect("a reference");
    let whole = client.read_back("tamis_read", reference);
    assert_eq!(whole, Ok(result(number).to_string()), "{number}");
}

#[track_caller]
fn passes_uncut(client: &mut Client, number: usize) {
    let got = client.call(&format!("result_{number}"), &json!({}));
    assert_eq!(got, result(number), "{number} was changed");
}

/// Checks that the log reports each result that passed uncut at least once.
fn the_operator_was_told(client: Client, times: usize) {
    let finished = client.finish().succeeded();
    let log = String::from_utf8_lossy(&finished.stderr);
    let said = log
        .lines()
        .filter(|line| line.contains("could not be kept") || line.contains("nothing is cut"));
    if said.count() < times {
        finished.fail(&format!(
            "the log should say {times} times that something was not kept"
        ));
    }
}

#[test]
fn a_small_disk_that_fills_up_and_has_room_again() {
    let own_mounts = ["unshare", "--map-root-user", "--mount"];
    let works = Command::new(own_mounts[0])
        .args(&own_mounts[1..])
        .arg("true")
        .status();
    if !works.is_ok_and(|status| status.success()) {
        eprintln!("not tested: no small disk can be mounted without user namespaces");
        return;
    }
    let stage = stage();
    fs::create_dir(stage.state()).expect("make the state's folder");
    // Only the proxy and its server see the disk, so the server fills it and makes room.
    let server = r#"
while IFS= read -r line; do
    id=${line#*'"id":'} id=${id%%,*}
    name=${line#*'"name":"'} name=${name%%'"'*}
    answer='{}'
    case $name in
        fill) head -c 4m /dev/zero >"$0/filler" 2>/dev/null ;;
        room) rm "$0/filler" ;;
        *) answer=$(cat "$1/answers/tools/call/$name") ;;
    esac
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$answer"
done
"#;
    let (state, folder) = (stage.state(), stage.path().to_owned());
    let path = |path: &std::path::Path| path.to_str().expect("a plain path").to_owned();
    let (state, folder) = (path(&state), path(&folder));
    let proxy = tamis_run(
        &stage.path().join("filters.toml"),
        &["sh", "-c", server, &state, &folder],
    );
    let mount = "mount -t tmpfs -o size=1m,mode=700 tmpfs \"$0\" && exec \"$@\"";
    let mut line: Vec<std::ffi::OsString> = own_mounts.iter().map(Into::into).collect();
    line.extend(["sh", "-c", mount, &state].map(Into::into));
    line.extend(proxy);
    let mut client = Client::of(stage.in_state(Program::new(&line, stage.path())));
    is_cut_and_kept(&mut client, 0);
    client.call("fill", &json!({}));
    for number in 1..4 {
        passes_uncut(&mut client, number);
    }
    // Existing originals can be read, and results with one are cut as before.
    is_cut_and_kept(&mut client, 0);
    client.call("room", &json!({}));
    for number in [1, 4, 5] {
        is_cut_and_kept(&mut client, number);
    }
    the_operator_was_told(client, 3);
}

#[test]
fn a_directory_that_becomes_read_only() {
    let stage = stage();
    // Root ignores permissions, unless it drops the capabilities for that.
    let bound: &[&str] = if geteuid().is_root() {
        &["setpriv", "--bounding-set=-dac_override"]
    } else {
        &[]
    };
    let mut client = Client::of(stage.within(bound));
    is_cut_and_kept(&mut client, 0);
    let allow = |mode: u32| {
        for name in ["originals", "partial", "leases"] {
            fs::set_permissions(stage.state().join(name), Permissions::from_mode(mode))
                .expect("chmod");
        }
    };
    allow(0o500);
    passes_uncut(&mut client, 1);
    passes_uncut(&mut client, 2);
    allow(0o700);
    is_cut_and_kept(&mut client, 1);
    is_cut_and_kept(&mut client, 3);
    the_operator_was_told(client, 2);
}

#[test]
fn a_store_that_is_removed_under_the_proxy_is_made_again() {
    let stage = stage();
    let mut client = stage.start();
    is_cut_and_kept(&mut client, 0);
    fs::remove_dir_all(stage.state().join("originals")).expect("remove");
    is_cut_and_kept(&mut client, 0);
    fs::remove_dir_all(stage.state()).expect("remove");
    is_cut_and_kept(&mut client, 1);
    is_cut_and_kept(&mut client, 0);
    client.finish().succeeded();
}

#[test]
fn a_file_in_the_place_of_the_store() {
    let stage = stage();
    fs::write(stage.state(), "in the way").expect("write");
    let mut client = stage.start();
    passes_uncut(&mut client, 0);
    passes_uncut(&mut client, 1);
    the_operator_was_told(client, 1);
    fs::remove_file(stage.state()).expect("remove");

    // The same while the proxy runs.
    let mut client = stage.start();
    is_cut_and_kept(&mut client, 0);
    fs::remove_dir_all(stage.state()).expect("remove");
    fs::write(stage.state(), "in the way").expect("write");
    passes_uncut(&mut client, 1);
    assert_eq!(fs::read(stage.state()).expect("the file"), b"in the way");
    fs::remove_file(stage.state()).expect("remove");
    is_cut_and_kept(&mut client, 1);
    the_operator_was_told(client, 1);
}
