//! *Damage of the newest segment of the log*, whose end no other segment repeats: it costs the records that it hits, and the
//! report names what is gone with them.

use std::fs;

use editd_proto::message::kind;
use serde_json::{Value, json};

use super::{EDITS, Rig, newest_segment, records};

/// Returns the lines of a salvage's report that begin with `gone:`.
fn gone(rig: &Rig) -> Vec<String> {
    let output = rig.daemon.editctl().arg("salvage").output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && told.contains("damaged:"), "{told}");
    told.lines().filter_map(|line| line.strip_prefix("lost: ")).map(str::to_owned).collect()
}

#[test]
fn damage_in_the_newest_segment_without_a_database_costs_what_it_hits() {
    let mut rig = Rig::new();
    let newest = newest_segment(&rig.state);
    let saved = fs::read(&newest).unwrap();
    let places = records(&saved);
    assert!(places.len() > 30, "{}", places.len());
    // Intents, seals, read receipts and clipboards are among these.
    for (nth, at) in places[8..16].iter().copied().enumerate() {
        let zeroed = nth % 2 == 0;
        rig.restore();
        fs::remove_dir_all(rig.state.join("sled")).unwrap();
        let mut bytes = saved.clone();
        if zeroed {
            bytes[at..at + 64].fill(0)
        } else {
            bytes[at + 90] ^= 1
        }
        fs::write(&newest, &bytes).unwrap();
        // First without a start, then with one before the salvage.
        let named = gone(&rig);
        rig.try_start().unwrap();
        let missing = rig.missing();
        let lines: Vec<String> =
            missing.iter().map(|id| format!("entry {id}, if it was ever made")).collect();
        assert!(missing.len() <= 1 && named == lines, "{at} {zeroed}: {missing:?} {named:?}");
        rig.daemon.stop();
        rig.restore();
        fs::remove_dir_all(rig.state.join("sled")).unwrap();
        fs::write(&newest, &bytes).unwrap();
        rig.daemon.start();
        let status = rig.daemon.client("s").ask_json(kind::STATUS, &json!({}));
        let told = status["damage"].as_str().unwrap();
        assert!(told.contains("1 record is lost") && told.contains("`editctl salvage`"), "{told}");
        assert_eq!(rig.missing(), missing, "{at} {zeroed}");
        rig.daemon.stop();
        // The database of that start has no names of what was lost before it.
        assert_eq!(gone(&rig), lines, "{at} {zeroed}");
        rig.try_start().unwrap();
        assert_eq!(rig.missing(), missing, "{at} {zeroed}");
        rig.daemon.stop();
    }
}

#[test]
fn a_salvage_with_the_database_says_what_each_lost_record_cost() {
    let rig = Rig::new();
    let newest = newest_segment(&rig.state);
    let saved = fs::read(&newest).unwrap();
    for at in records(&saved)[8..16].iter().copied() {
        rig.restore();
        let mut bytes = saved.clone();
        bytes[at..at + 64].fill(0);
        fs::write(&newest, &bytes).unwrap();
        let named = gone(&rig);
        assert!(!named.is_empty(), "{at}");
        if let Some(entry) = named.iter().find_map(|line| line.strip_prefix("entry ")) {
            let id = entry.split(' ').next().unwrap();
            // Its key is gone with it, though the record of its end is intact.
            assert!(
                named
                    .iter()
                    .any(|line| line.starts_with(&format!("key key {}", id.parse::<u64>().unwrap() - 1))),
                "{named:?}"
            );
        }
    }
}

#[test]
fn a_lost_end_of_the_log_is_told_once_and_nobody_is_sent_to_salvage() {
    let mut rig = Rig::new();
    let newest = newest_segment(&rig.state);
    let mut bytes = fs::read(&newest).unwrap();
    let cut = records(&bytes)[12];
    bytes.truncate(cut);
    fs::write(&newest, &bytes).unwrap();
    rig.daemon.start();
    let status = rig.daemon.client("s").ask_json(kind::STATUS, &json!({}));
    let told = status["damage"].as_str().unwrap();
    let missing = rig.missing();
    for part in ["its last record is at", "there were records up to", "cannot be salvaged"] {
        assert!(told.contains(part), "{told}");
    }
    assert!(told.contains(&format!("{}-{EDITS}", missing[0])), "{told} {missing:?}");
    assert!(!told.contains("`editctl salvage`") && !told.contains("byte 0:"), "{told}");
    rig.daemon.stop();
    assert_eq!(rig.salvage(), None);
    rig.daemon.start();
    let status = rig.daemon.client("s").ask_json(kind::STATUS, &json!({}));
    assert_eq!(status["damage"], Value::Null);
}
