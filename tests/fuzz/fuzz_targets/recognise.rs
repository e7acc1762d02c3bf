//! Text as a payload whose dialect nobody named: it is recognised or refused, and then as of its dialect.
#![no_main]

mod payload;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| payload::payload(None, data));
