//! Text as a payload whose dialect nobody named: it is recognised or refused, and then as of its dialect.
#![no_main]

mod shared;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| shared::payload(None, data));
