//! A byte stream in pieces as a client of lines of JSON sends it: the reader returns the same lines as from the whole
//! stream, no line panics, and a decoded body is the same after it was written as a line again.
//!
//! The first byte is the length of a piece. See `tests/fuzz/run`.
#![no_main]

use editd_proto::codec::{ClientReader, Frame, Framing};
use editd_proto::limits;
use editd_proto::message::{ClipRequest, Hello, JobRequest, ReadRequest, UndoRequest};
use libfuzzer_sys::fuzz_target;

fn lines(reader: &mut ClientReader, into: &mut Vec<Frame>) -> bool {
    loop {
        match reader.next_frame() {
            Ok(Some(line)) => into.push(line),
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

macro_rules! round_trip {
    ($message:expr, $($body:ty),+) => {$(
        if let Ok(body) = $message.body::<$body>() {
            let line = Framing::Lines.encode($message.id(), $message.kind(), &body).expect("what was read can be written");
            let again = Framing::Lines.parse(Frame::from_bytes(line)).expect("what was written is accepted");
            assert_eq!((again.id(), again.kind()), ($message.id(), $message.kind()));
            let twice = again.body::<$body>().expect("what was written can be read");
            assert_eq!(format!("{twice:?}"), format!("{body:?}"));
        }
    )+};
}

fuzz_target!(|data: &[u8]| {
    let Some((&step, rest)) = data.split_first() else { return };
    let stream = [b"{", rest].concat();
    let mut whole = ClientReader::new(limits::FRAME_BEFORE_HELLO);
    whole.push(&stream);
    let mut at_once = Vec::new();
    let fine = lines(&mut whole, &mut at_once);

    let mut cut = ClientReader::new(limits::FRAME_BEFORE_HELLO);
    let mut piecemeal = Vec::new();
    let mut still_fine = true;
    for piece in stream.chunks(usize::from(step).max(1)) {
        cut.push(piece);
        still_fine = still_fine && lines(&mut cut, &mut piecemeal);
    }
    assert_eq!(at_once, piecemeal);
    assert_eq!((fine, whole.is_mid_frame()), (still_fine, cut.is_mid_frame()));
    for line in at_once {
        let Ok(message) = Framing::Lines.parse(line) else { continue };
        round_trip!(message, Hello, ReadRequest, JobRequest, UndoRequest, ClipRequest);
    }
});
