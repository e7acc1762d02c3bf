//! Every case file as a test of its own. What they say stands in `tests/cases`, how they are played in the
//! kit; here they are only named.

use std::path::{Path, PathBuf};

use editd_tests::case::{Scenario, lenses, run, workspace};

macro_rules! story {
    ($name:ident) => {
        #[test]
        fn $name() {
            super::told(stringify!($name));
        }
    };
}

mod told {
    include!(concat!(env!("OUT_DIR"), "/cases.rs"));
}

fn told(name: &str) {
    let file = file(name);
    run(&file, &workspace::open);
    let story = Scenario::parse(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let found = [
        lenses::dies_at_every_step(&story, &workspace::open),
        lenses::is_undone(&story, &workspace::open),
        lenses::is_sent_twice(&story, &workspace::open),
    ]
    .concat();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cases").join(format!("{name}.toml"))
}
