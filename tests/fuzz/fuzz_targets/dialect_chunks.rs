//! Text as a payload of the dialect `chunks`: no panic, and what is understood is planned rightly.
#![no_main]

mod shared;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| shared::payload(Some("chunks"), data));
