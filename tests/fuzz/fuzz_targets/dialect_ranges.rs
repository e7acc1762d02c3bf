//! Text as a payload of the dialect `ranges`: no panic, and what is understood is planned rightly.
#![no_main]

mod payload;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| payload::payload(Some("ranges"), data));
