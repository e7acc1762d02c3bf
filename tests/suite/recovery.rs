//! What recovery leaves alone, on the simulated machine. It never judges a running daemon.

use std::time::Duration;

use editd_tests::lens::desk::Desk;
use editd_tests::lens::requests::{append, file, job};
use editd_tests::lens::stories::text;
use editd_tests::lens::story::{KEY, Story};
use editd_tests::lens::view::View;
use editd_tests::sim::{EACCES, Fault, Lasting, Op, Outside, Seeded, SimMachine};

fn put(outside: &Outside, path: &str, bytes: &[u8]) {
    outside.write(&format!("/w/{path}"), bytes).unwrap();
}

fn files(outside: &Outside) {
    outside.mkdir("/w/sub").unwrap();
    put(outside, "a.txt", &text("a", 700));
    put(outside, "b.txt", &text("b", 1500));
    put(outside, "sub/c.txt", &text("c", 600));
    put(outside, "one.txt", &text("linked", 900));
    outside.link("/w/one.txt", "/w/two.txt").unwrap();
}

/// Everything reaches the disk, and the machine starts again.
fn reboot(machine: &SimMachine) -> SimMachine {
    machine.settle();
    machine.power_cut(&mut Seeded::new(1))
}

fn has_entry(desk: &Desk) -> Result<bool, String> {
    Ok(desk.entries()?.iter().any(|entry| entry.key.as_deref() == Some(KEY)))
}

#[test]
fn a_folder_that_cannot_be_read_is_named_with_what_to_do_and_nothing_is_changed() {
    let story = Story::new(
        "denied",
        files,
        job(vec![file("a.txt", vec![append("x\n")]), file("sub/c.txt", vec![append("x\n")])]),
    );
    let machine = story.machine();
    let desk = story.begin(&machine).unwrap();
    machine.at_next(Op::Exchange, 0, editd_tests::sim::When::After, {
        let same = machine.clone();
        move |_| drop(same.kill())
    });
    let _receipt = desk.act(&story.job, KEY);
    drop(desk);
    let machine = reboot(&machine.kill());
    let denied = machine.fork();
    let opened = denied.fork();
    drop(Desk::open(&opened).unwrap());
    let trace = opened.trace();
    let call =
        trace.iter().position(|call| call.contains("OpenDir") && call.contains("sub")).unwrap() as u64 + 1;
    denied.fail(Fault {
        at: call,
        lasting: Lasting::ForEver,
        only: vec![Op::OpenDir],
        errno: EACCES,
        written: 0,
    });
    let Err(error) = Desk::open(&denied) else { panic!("it was opened") };
    assert!(error.contains("sub/c.txt") && error.contains("make it readable"), "{error}");
    assert_eq!(View::of(&denied).files, View::of(&machine).files);
    denied.mend();
    let denied = denied.kill();
    denied.pass(Duration::from_secs(1));
    let desk = Desk::open(&denied).unwrap();
    assert!(has_entry(&desk).unwrap(), "{:?}", desk.notes);
}
