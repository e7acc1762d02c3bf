//! A byte stream in pieces: the reader returns the same frames as from the whole stream, and never panics.
//!
//! The first byte is the length of a piece. See `tests/fuzz/run`.
#![no_main]

use editd_proto::codec::{Frame, FrameReader, Message};
use editd_proto::limits;
use libfuzzer_sys::fuzz_target;

fn frames(reader: &mut FrameReader, into: &mut Vec<Frame>) -> bool {
    loop {
        match reader.next_frame() {
            Ok(Some(frame)) => into.push(frame),
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&step, stream)) = data.split_first() else { return };
    let mut whole = FrameReader::new(limits::FRAME_BEFORE_HELLO);
    whole.push(stream);
    let mut at_once = Vec::new();
    let fine = frames(&mut whole, &mut at_once);

    let mut cut = FrameReader::new(limits::FRAME_BEFORE_HELLO);
    let mut piecemeal = Vec::new();
    let mut still_fine = true;
    for piece in stream.chunks(usize::from(step).max(1)) {
        cut.push(piece);
        still_fine = still_fine && frames(&mut cut, &mut piecemeal);
    }
    assert_eq!(at_once, piecemeal);
    assert_eq!((fine, whole.is_mid_frame()), (still_fine, cut.is_mid_frame()));
    for frame in at_once {
        let _ = Message::parse(frame);
    }
});
