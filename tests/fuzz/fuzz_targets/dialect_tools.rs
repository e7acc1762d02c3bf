//! Text as the call of an edit tool of current agents: no panic, and what is understood is planned rightly.
#![no_main]

mod payload;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    for dialect in ["claude-code", "opencode", "gemini", "mcp-filesystem", "serena"] {
        payload::payload(Some(dialect), data);
    }
});
