//! Each case file as a test: on real files with its variants, and on the simulated machine. The scenarios are in
//! `tests/cases`, and the kit plays them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use editd_tests::scenario::machine::ScenarioMachine;
use editd_tests::scenario::real::RealMachine;
use editd_tests::scenario::simulated::SimulatedMachine;
use editd_tests::scenario::{player, variants};
use editd_tests::sim::SimMachine;

macro_rules! scenario {
    ($name:ident) => {
        #[test]
        fn $name() {
            super::on_real_files(stringify!($name));
        }
    };
}

/// On real files.
mod real {
    include!(concat!(env!("OUT_DIR"), "/cases.rs"));
}

/// On the simulated machine.
mod simulated {
    macro_rules! scenario {
        ($name:ident) => {
            #[test]
            fn $name() {
                super::on_simulated_machine(stringify!($name));
            }
        };
    }

    include!(concat!(env!("OUT_DIR"), "/cases.rs"));
}

fn on_real_files(name: &str) {
    let file = file(name);
    let fresh = || Arc::new(RealMachine::with_daemon()) as Arc<dyn ScenarioMachine>;
    if std::env::var_os("BLESS").is_some_and(|word| word == "1") {
        player::bless(&file, &fresh());
    }
    player::check(&file, &fresh());
    let (_, scenario) = player::read(&file);
    let found = [
        variants::dies_at_every_step(&scenario, &fresh),
        variants::is_undone(&scenario, &fresh),
        variants::is_sent_twice(&scenario, &fresh),
    ]
    .concat();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn on_simulated_machine(name: &str) {
    let machine: Arc<dyn ScenarioMachine> = Arc::new(SimulatedMachine::new(SimMachine::new()));
    player::check(&file(name), &machine);
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases").join(format!("{name}.toml"))
}
