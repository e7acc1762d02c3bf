//! The time and the cost of edits, beside a floor and a bound that are measured in the same run: the machine is noisy, so
//! they take turns, and medians are compared. It reports; it asserts nothing about time.
//!
//! The floor is one overwrite of a prepared block and one `fdatasync`. The bound is a minimal program that makes only the
//! calls of a safe edit (`bound`). Each round has fresh folders, a fresh daemon and files with the names and contents that
//! people edit. tests/README.md lists the options.

#![cfg_attr(
    target_os = "linux",
    expect(
        clippy::expect_used,
        clippy::unwrap_used,
        clippy::indexing_slicing,
        clippy::panic,
        reason = "a benchmark that cannot run has nothing to report"
    )
)]

#[cfg(target_os = "linux")]
mod bound;
#[cfg(target_os = "linux")]
mod caller;
#[cfg(target_os = "linux")]
mod counts;
#[cfg(target_os = "linux")]
mod file_system;
#[cfg(target_os = "linux")]
mod floors;
#[cfg(target_os = "linux")]
mod options;
#[cfg(target_os = "linux")]
mod report;
#[cfg(target_os = "linux")]
mod rounds;
#[cfg(target_os = "linux")]
mod rows;
#[cfg(target_os = "linux")]
mod server;
#[cfg(target_os = "linux")]
mod starts;
#[cfg(target_os = "linux")]
mod texts;
#[cfg(target_os = "linux")]
mod tools;
#[cfg(target_os = "linux")]
mod work;

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("the benchmark needs the Unix kit and /proc; skipped");
}

#[cfg(target_os = "linux")]
fn main() {
    let mut words = std::env::args().skip(1);
    if words.next().as_deref() == Some(bound::WORD) {
        bound::serve(words);
        return;
    }
    let options = options::BenchOptions::read();
    let texts = texts::RealTexts::of_this_checkout();
    let mut found = rows::Measured::new(&options);
    if options.has("times") {
        rounds::run(&options, &texts, &mut found);
    }
    if options.has("counts") {
        counts::run(&options, &texts, &mut found);
    }
    if options.has("tools") {
        tools::run(&options, &texts, &mut found);
    }
    if options.entries > 0 {
        starts::run(options.entries, &mut found);
    }
    report::write(&options, &found);
}
