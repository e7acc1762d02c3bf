//! *Undo* as users call it: by file and by hunk, as a preview, with later changes by others, and by either number of a
//! detached job. The case files test the journal.

use editd_proto::message::kind;
use editd_tests::house::House;
use editd_tests::jobs;
use serde_json::json;

const LINES: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n";

/// Runs `editctl` in a session. Returns its standard output and standard error, and its exit status.
fn editctl(house: &House, session: &str, words: &[&str]) -> (String, i32) {
    let output = house.editctl().env("EDITCTL_SESSION", session).args(words).output().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (text, output.status.code().unwrap())
}

fn text(house: &House, path: &str) -> String {
    String::from_utf8(house.get(path)).unwrap()
}

/// A daemon, and a job of session `s` with two hunks in `a.txt` and one in `b.txt`.
fn with_job() -> (House, String) {
    let house = House::started();
    house.put("a.txt", LINES);
    house.put("b.txt", "b\n");
    let replace = |old: &str, new: &str| json!({ "op": "replace", "old": old, "new": new });
    let job = json!({ "files": [
        { "path": "a.txt", "edits": [replace("2\n3", "two\n3"), replace("19", "nineteen")] },
        { "path": "b.txt", "edits": [replace("b", "B")] },
    ] });
    let receipt = house.client("s").ask_json(kind::EDIT, &job);
    jobs::applied(&receipt);
    let id = jobs::number(&receipt).to_string();
    (house, id)
}

#[test]
fn hunks_are_numbered_undone_and_redone_by_their_numbers() {
    let (house, job) = with_job();
    let (shown, _) = editctl(&house, "s", &["show", &job]);
    assert!(shown.contains("@@ -1,5 +1,5 @@ hunk 1\n") && shown.contains("@@ hunk 2\n"), "{shown}");
    let undo = ["undo", &job, "--path", "a.txt", "--hunk", "2"];
    let (preview, status) = editctl(&house, "s", &[&undo[..], &["--dry-run"]].concat());
    assert!(preview.contains("-nineteen\n+19\n") && preview.contains("verified") && status == 0, "{preview}");
    assert!(text(&house, "a.txt").contains("nineteen"));
    let (undone, status) = editctl(&house, "s", &undo);
    assert!(undone.contains(" undone, version @2\na.txt ") && status == 0, "{undone}");
    assert_eq!(text(&house, "a.txt"), LINES.replace("2\n3", "two\n3"));
    assert_eq!(text(&house, "b.txt"), "B\n");
    let (log, _) = editctl(&house, "s", &["log"]);
    assert!(log.contains("partly undone") && log.contains("hunk 2 undone"), "{log}");
    let (shown, _) = editctl(&house, "s", &["show", &job]);
    assert!(shown.contains("@@ hunk 2, undone\n"), "{shown}");
    let (refused, status) = editctl(&house, "s", &undo);
    assert!(refused.contains("undone already") && status == 3, "{refused}");
    let (redone, status) = editctl(&house, "s", &["redo", &job]);
    assert!(redone.contains(" redone, version @3\na.txt ") && status == 0, "{redone}");
    assert!(text(&house, "a.txt").contains("nineteen"));
    let (undone, _) = editctl(&house, "s", &["undo", &format!("@{job}"), "--hunk", "1"]);
    assert!(undone.contains("name one path"), "{undone}");
}

#[test]
fn a_preview_of_an_undo_in_json_is_verified_and_leaves_nothing() {
    let (house, _) = with_job();
    let (told, status) = editctl(&house, "s", &["undo", "--mode", "verify_only", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    assert_eq!((&told["status"], status), (&json!("verified"), 0), "{told}");
    assert_eq!(text(&house, "b.txt"), "B\n");
    let history = house.client("s").ask_json(kind::HISTORY, &json!({}));
    assert_eq!(history["entries"].as_array().unwrap().len(), 1, "{history}");
}

#[test]
fn a_refused_undo_says_whose_the_later_entries_are_and_how_to_keep_them() {
    let (house, job) = with_job();
    let later = json!({ "label": "theirs", "files": [{ "path": "a.txt", "edits": [{ "op": "replace", "old": "10", "new": "ten" }] }] });
    let theirs = jobs::number(&house.client("other").ask_json(kind::EDIT, &later));
    let (refused, status) = editctl(&house, "s", &["undo", &job]);
    assert!(status == 3 && refused.contains("of another session"), "{refused}");
    assert!(refused.contains(&format!("later: {theirs}  session other")), "{refused}");
    assert!(refused.contains("--on-stale rebase") && !refused.contains("undo those"), "{refused}");
    let (undone, status) = editctl(&house, "s", &["undo", &job, "--on-stale", "rebase"]);
    assert!(status == 0, "{undone}");
    assert_eq!(text(&house, "a.txt"), LINES.replace("10", "ten"));
}

#[test]
fn a_detached_job_is_known_by_both_of_its_numbers_everywhere() {
    let house = House::started();
    house.put("a.txt", "one\n");
    let queued = house
        .client("s")
        .ask_json(kind::EDIT, &jobs::with(jobs::append("a.txt", "two\n"), "detach", json!(true)));
    let queued = jobs::number(&queued);
    let receipt = house.client("s").ask_json(kind::WAIT, &json!({ "job": queued }));
    let entry = jobs::number(&receipt);
    assert_eq!(receipt["queued"], json!(queued), "{receipt}");
    assert_ne!(entry, queued);
    for number in [queued, entry] {
        let number = number.to_string();
        let (waited, _) = editctl(&house, "s", &["wait", &number]);
        assert!(waited.contains(&format!("job {entry} (queued as {queued}) applied")), "{waited}");
        let (shown, _) = editctl(&house, "s", &["show", &number]);
        assert!(
            shown.starts_with(&entry.to_string()) && shown.contains(&format!("queued as {queued}")),
            "{shown}"
        );
        assert!(editctl(&house, "s", &["undo", &number]).0.contains("undone"));
        assert!(editctl(&house, "s", &["redo", &number]).0.contains("redone"));
    }
    let (log, _) = editctl(&house, "s", &["log"]);
    assert!(log.contains(&format!("queued as {queued}")), "{log}");
    assert_eq!(text(&house, "a.txt"), "one\ntwo\n");
}
