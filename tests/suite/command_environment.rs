//! *Commands get little*: no name of a file is taken for an option, few variables of the daemon reach a command, and a
//! command gains no privileges. No hook starts on a path that has become a link.

use editd_proto::message::kind;
use editd_tests::jobs;
use editd_tests::test_daemon::TestDaemon;
use serde_json::json;

/// A command of each kind that appends its argument to a file of its own.
fn commands() -> String {
    let table = |kind: &str| {
        let script = format!("printf '%s\\n' \"$1\" >>\"{kind}.out\"; [ {kind} = format ] && cat; exit 0");
        let command = json!(["sh", "-c", script, "sh", "{path}"]);
        format!("[[{kind}]]\nname = \"{kind}\"\nfiles = [\"**\"]\ncommand = {command}\n")
    };
    ["format", "validator", "after_write"].map(table).concat()
}

#[test]
fn no_name_of_a_file_is_an_option_or_a_file_of_arguments() {
    let daemon = TestDaemon::trusted(&commands());
    for path in ["@args", "-rf", "a=b", "d/@args"] {
        jobs::applied(&daemon.client("s").ask_json(kind::EDIT, &jobs::write(path, "--version\n")));
    }
    for kind in ["format", "validator", "after_write"] {
        let given = String::from_utf8(daemon.get(&format!("{kind}.out"))).unwrap();
        assert_eq!(given, "./@args\n./-rf\n./a=b\n./d/@args\n", "{kind}");
    }
}

#[test]
fn a_hook_does_not_start_on_a_file_whose_folder_became_a_link() {
    let script = "mv b moved && ln -s ../outside b; echo hook >>\"$1\"";
    let command = json!(["sh", "-c", script, "sh", "{file}"]);
    let hook = format!("[[after_write]]\nname = \"swap\"\nfiles = [\"*.txt\"]\ncommand = {command}\n");
    let daemon = TestDaemon::trusted(&hook);
    let outside = daemon.folder("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("f.txt"), "outside\n").unwrap();
    daemon.put("b/f.txt", "inside\n");
    daemon.put("a.txt", "a\n");
    let mut job = jobs::append("a.txt", "a\n");
    job["files"].as_array_mut().unwrap().push(jobs::append("b/f.txt", "b\n")["files"][0].clone());
    let receipt = daemon.client("s").ask_json(kind::EDIT, &job);
    jobs::applied(&receipt);
    assert!(receipt["hooks"][0]["warnings"].to_string().contains("not run"), "{receipt}");
    assert_eq!(std::fs::read_to_string(outside.join("f.txt")).unwrap(), "outside\n", "{receipt}");
}

#[test]
fn few_variables_reach_a_command_and_it_gains_no_privileges() {
    let script = "env >variables.out; grep NoNewPrivs /proc/self/status >>variables.out || :";
    let command = json!(["sh", "-c", script, "sh", "{file}"]);
    let table = format!("[[after_write]]\nname = \"env\"\nfiles = [\"**\"]\ncommand = {command}\n");
    let variables = |env: &str| {
        let daemon = TestDaemon::trusted(&format!("{table}{env}"));
        jobs::applied(&daemon.client("s").ask_json(kind::EDIT, &jobs::write("a.txt", "1\n")));
        String::from_utf8(daemon.get("variables.out")).unwrap()
    };
    let plain = variables("");
    for name in ["XDG_RUNTIME_DIR", "XDG_STATE_HOME", "NO_COLOR", "CARGO_MANIFEST_DIR"] {
        assert!(!plain.contains(name), "{plain}");
    }
    assert!(plain.contains("\nPATH=") || plain.starts_with("PATH="), "{plain}");
    let more = variables("env = [\"XDG_STATE_HOME\", \"MODE=a b\"]\n");
    assert!(more.contains("XDG_STATE_HOME=/") && more.contains("MODE=a b\n"), "{more}");
    #[cfg(target_os = "linux")]
    assert!(plain.contains("NoNewPrivs:\t1"), "{plain}");
}
