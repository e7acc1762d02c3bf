//! A payload without the name of its dialect: it is recognised or refused without a panic.
#![no_main]

mod payload;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| payload::payload(None, data));
