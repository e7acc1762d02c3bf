//! Bytes as a message: decoding an accepted message as any body never panics, and encoding a decoded body again
//! keeps it.
#![no_main]

use editd_proto::RequestError;
use editd_proto::codec::{Frame, Message, check, encode};
use editd_proto::limits;
use editd_proto::message::{
    ChangeEvent, ClipReply, ClipRequest, Hello, HistoryReply, HistoryRequest, JobRequest, ReadReply,
    ReadRequest, Receipt, ShowReply, StatusReply, SubscribeRequest, UndoRequest, WaitRequest, Welcome,
};
use libfuzzer_sys::fuzz_target;

macro_rules! round_trip {
    ($message:expr, $($body:ty),+) => {$(
        if let Ok(body) = $message.body::<$body>() {
            let frame = encode($message.id(), $message.kind(), &body).expect("what was read can be written");
            let (_, bytes) = frame.split_at(limits::FRAME_HEADER);
            let again = Message::parse(Frame::from_bytes(bytes.to_vec())).expect("what was written is accepted");
            assert_eq!((again.id(), again.kind()), ($message.id(), $message.kind()));
            let twice = again.body::<$body>().expect("what was written can be read");
            // Compared as text, because NaN is not equal to itself.
            assert_eq!(format!("{twice:?}"), format!("{body:?}"));
        }
    )+};
}

fuzz_target!(|data: &[u8]| {
    let accepted = check(data).is_ok();
    let Ok(message) = Message::parse(Frame::from_bytes(data.to_vec())) else { return };
    assert!(accepted);
    round_trip!(
        message,
        Hello,
        Welcome,
        ReadRequest,
        ReadReply,
        JobRequest,
        Receipt,
        UndoRequest,
        HistoryRequest,
        HistoryReply,
        ShowReply,
        ClipRequest,
        ClipReply,
        SubscribeRequest,
        ChangeEvent,
        WaitRequest,
        StatusReply,
        RequestError
    );
});
