//! Tasks of Ansible: failures that a play ignores, and what the others say.

use super::*;

fn play(odd: &str) -> String {
    let task = |at: usize| {
        let hosts: String = (0..8).map(|host| format!("ok: [web-0{host}]\n")).collect();
        format!("TASK [{} : install {at}] ****\n{hosts}\n", word(at))
    };
    let tasks: String = (0..30).map(task).collect();
    format!(
        "PLAY [web] *****\n\n{tasks}{odd}\n{tasks}PLAY RECAP ****\nweb-05                     : ok=30   changed=9    unreachable=0    failed=0    skipped=0    rescued=0    ignored=1   \n"
    )
}

#[test]
fn failures_that_ansible_ignores() {
    for failure in [
        "fatal: [web-05]: FAILED! => {\"changed\": false, \"msg\": \"non-zero return code\", \"rc\": 1}\n",
        "failed: [web-05] (item=a) => {\"msg\": \"one\", \"rc\": 1}\nfailed: [web-05] (item=b) => {\"msg\": \"two\", \"rc\": 1}\n",
        "fatal: [web-05]: FAILED! => changed=false\n  msg: non-zero return code\n  stderr: 'ls: cannot access a: No such file or directory'\n",
    ] {
        let task = "TASK [check the process] ****\nok: [web-04]\n";
        let ignored = summary(&play(&format!(
            "{task}{failure}...ignoring\nok: [web-06]\n"
        )));
        assert!(failures(&ignored).is_empty(), "{ignored}");
        assert!(ignored.contains("ignored"), "{ignored}");
        assert!(
            ignored.contains(&format!(": {}", failure.lines().next().unwrap())),
            "{ignored}"
        );
        assert_failures(
            &play(&format!("{task}{failure}ok: [web-06]\n")),
            &[failure.lines().next().unwrap()],
        );
    }
    let other = "TASK [check] ****\nfatal: [web-04]: FAILED! => {\"msg\": \"it is lost\"}\nfatal: [web-05]: FAILED! => {\"msg\": \"no matter\"}\n...ignoring\n";
    let told = summary(&play(other));
    assert!(
        told.contains("1 line that looks like a failure:\n"),
        "{told}"
    );
    assert!(failures(&told)[0].contains("it is lost"), "{told}");
    // One host fails twice, and only the last failure is ignored.
    let told = summary(&play(&other.replace("web-05]: F", "web-04]: F")));
    assert!(failures(&told)[0].contains("it is lost"), "{told}");
}

#[test]
fn failures_of_items_that_ansible_ignores() {
    let failed = |host: usize, item: &str| {
        format!(
            "failed: [web-0{host}] (item={item}) => {{\"msg\": \"{item} is lost\", \"rc\": 1}}\n"
        )
    };
    let ok = "ok: [web-01] => (item=c)\n";
    let one = failed(1, "a") + &failed(1, "b") + ok;
    let two = failed(1, "a") + &failed(2, "a") + &failed(1, "b") + ok;
    for (items, ignoring) in [(&one, 1), (&two, 2)] {
        let task = "TASK [install] ****\n";
        let ignored = summary(&play(&format!(
            "{task}{items}{}",
            "...ignoring\n".repeat(ignoring)
        )));
        assert!(failures(&ignored).is_empty(), "{ignored}");
        assert!(
            ignored.contains("are of tasks whose failures are ignored"),
            "{ignored}"
        );
        let text = play(&format!(
            "{task}{items}{}",
            "...ignoring\n".repeat(ignoring - 1)
        ));
        assert_failures(&text, &["failed: [web-01] (item=a)", "b is lost"]);
    }
}

#[test]
fn an_exception_belongs_to_the_failure_after_it() {
    let exception = "An exception occurred during task execution. To see the full traceback, use -vvv. The error was: KeyError: 'x'\n";
    let fatal = "fatal: [web-05]: FAILED! => {\"msg\": \"Unexpected failure\"}\n";
    let task = "TASK [check] ****\nok: [web-01]\n";
    let told = summary(&play(&format!("{task}{exception}{fatal}...ignoring\n")));
    assert!(failures(&told).is_empty(), "{told}");
    let text = play(&format!("{task}{exception}{fatal}"));
    assert_failures(&text, &["The error was: KeyError", "Unexpected failure"]);
}

#[test]
fn what_a_failure_of_ansible_in_yaml_says_is_told() {
    let failure = |host: usize, what: &str| {
        format!(
            "fatal: [web-0{host}]: FAILED! => changed=true \n  cmd: /opt/{what}.sh\n  msg: |-\n    {what} ended\n  stderr: |-\n    the {what} is locked\n  stdout: ''\n"
        )
    };
    let text = play(&format!(
        "TASK [a] ****\n{}...ignoring\n\nTASK [b] ****\n{}",
        failure(3, "stock"),
        failure(5, "ledger")
    ));
    assert_failures(&text, &["fatal: [web-05]", "the ledger is locked"]);
    let told = summary(&text);
    let failures = failures(&told);
    assert!(
        !failures.iter().any(|line| line.contains("stock")),
        "{told}"
    );
}
