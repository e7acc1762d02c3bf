//! A payload of any dialect in the registry: translating, planning and answering it never panics.
//!
//! The first byte chooses the dialect by its place in the registry, the rest is the payload. `DIALECT=ranges` fixes
//! the dialect instead; the first byte is ignored then. `DIALECT=list` prints the names in their order and exits.
#![no_main]

mod payload;

use std::sync::OnceLock;

use editd_engine::dialect;
use libfuzzer_sys::fuzz_target;

/// The names of all dialects, and the one that `DIALECT` fixes.
struct DialectChoice {
    names: Vec<&'static str>,
    fixed: Option<&'static str>,
}

static CHOICE: OnceLock<DialectChoice> = OnceLock::new();

/// Reads `DIALECT`; ends the process if it asks for the list or names no dialect.
fn choice() -> DialectChoice {
    let names: Vec<&'static str> = dialect::list().map(|(name, _)| name).collect();
    let Ok(wanted) = std::env::var("DIALECT") else { return DialectChoice { names, fixed: None } };
    if wanted == "list" {
        names.iter().for_each(|name| println!("{name}"));
        std::process::exit(0);
    }
    let fixed = names.iter().copied().find(|name| *name == wanted);
    if fixed.is_none() {
        eprintln!("DIALECT={wanted}: must be `list` or one of {}", names.join(", "));
        std::process::exit(2);
    }
    DialectChoice { names, fixed }
}

fuzz_target!(
    init: {
        CHOICE.get_or_init(choice);
    },
    |data: &[u8]| {
        let Some((&first, text)) = data.split_first() else { return };
        let choice = CHOICE.get_or_init(choice);
        let name = choice.fixed.unwrap_or(choice.names[usize::from(first) % choice.names.len()]);
        payload::payload(Some(name), text);
    }
);
