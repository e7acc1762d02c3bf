//! Every case file as a test of its own. What they say stands in `tests/cases`, how they are played in the
//! kit; here they are only named.

use std::path::Path;

macro_rules! story {
    ($name:ident) => {
        #[test]
        fn $name() {
            super::parses(concat!(stringify!($name), ".toml"));
        }
    };
}

mod told {
    include!(concat!(env!("OUT_DIR"), "/cases.rs"));
}

fn parses(file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases").join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    editd_tests::case::Story::parse(&text).unwrap();
}
