//! Promise *durable* where others came before a job or after a power cut, on the simulated machine: what was answered is
//! not taken back because of what they did. It never judges a running daemon.
//!
//! `LENS=long` as for `crash`.

use editd_proto::message::Status;
use editd_tests::lens::crash::disks;
use editd_tests::lens::desk::Desk;
use editd_tests::lens::long;
use editd_tests::lens::requests::{append, file, job};
use editd_tests::lens::story::{KEY, Story};
use editd_tests::sim::{Abilities, Outside, SimMachine, When};

fn files(outside: &Outside) {
    outside.mkdir("/w/d").unwrap();
    outside.write("/w/d/a.txt", b"line 1 of a\n").unwrap();
    outside.write("/w/b.txt", b"line 1 of b\n").unwrap();
}

/// Two files, one of them in a folder, on the disks that there are.
fn stories() -> Vec<Story> {
    let both = || job(["b.txt", "d/a.txt"].map(|path| file(path, vec![append("more\n")])).into());
    disks(Abilities::default()).map(|abilities| Story::new("two files", files, both()).on(abilities)).into()
}

/// States that a power cut may leave.
fn cuts(machine: &SimMachine) -> Vec<SimMachine> {
    machine.cuts(if long() { 200 } else { 12 }, 11)
}

fn is_there(desk: &Desk) -> bool {
    desk.entries().unwrap().iter().any(|entry| entry.key.as_deref() == Some(KEY))
}

#[test]
fn a_folder_that_others_move_under_a_job_does_not_take_its_answer_back() {
    let moved = |outside: &Outside| outside.rename("/w/d", "/w/e").unwrap();
    let made_anew = |outside: &Outside| {
        outside.rename("/w/d", "/w/e").unwrap();
        outside.mkdir("/w/d").unwrap();
        outside.write("/w/d/a.txt", b"line 1 of another\n").unwrap();
    };
    let deeds: [fn(&Outside); 2] = [moved, made_anew];
    let mut found = Vec::new();
    let mut answered = 0;
    for story in stories() {
        let [first, last, _] = story.course().unwrap().calls;
        for (call, deed) in (first + 1..=last)
            .step_by(if long() { 1 } else { 5 })
            .flat_map(|call| deeds.map(|deed| (call, deed)))
        {
            let machine = story.machine();
            let desk = story.begin(&machine).unwrap();
            machine.at_call(call, When::Before, move |outside| {
                deed(outside);
                outside.sync().unwrap();
            });
            if desk.act(&story.job, KEY).unwrap().status != Status::Applied {
                continue;
            }
            answered += 1;
            for (nth, cut) in cuts(&machine).iter().enumerate() {
                let desk = Desk::open(cut).unwrap();
                if !is_there(&desk) {
                    found.push(format!("before call {call}, cut {nth}: {:?}", desk.notes));
                }
            }
        }
    }
    assert!(answered > 0, "no job is answered: nothing was looked at");
    assert!(found.is_empty(), "{} answered jobs are gone:\n{}", found.len(), found.join("\n"));
}
