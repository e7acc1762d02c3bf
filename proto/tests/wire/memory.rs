//! Measures the memory that hostile bytes can cost, with an allocator that counts per thread.
#![expect(unsafe_code, reason = "an allocator cannot be counted without being one")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use editd_proto::codec::{ClientReader, Frame, FrameReader, Framing, Message};
use editd_proto::limits;
use editd_proto::message::{FileEdit, JobRequest, Receipt, WaitRequest};

struct Counting;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(change: isize) {
    // A thread that ends no longer has counters, and nothing reads them then.
    let _ = LIVE.try_with(|live| {
        live.set(live.get() + change);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(live.get())));
    });
}

// SAFETY: every call is passed to the system's allocator unchanged; counting does not allocate.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the promises of the caller are those that the system's allocator requires.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the promises of the caller are those that the system's allocator requires.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns the maximum number of bytes that were allocated at the same time while `work` ran, beyond those before.
fn peak(work: impl FnOnce()) -> usize {
    let before = LIVE.get();
    PEAK.set(before);
    work();
    usize::try_from(PEAK.get() - before).unwrap()
}

/// Memory that serde may reserve for each of two lists (files, edits) before it has read an element.
const AHEAD: usize = 2 * 1024 * 1024;

fn cost(message: &[u8]) -> usize {
    peak(|| {
        if let Ok(message) = Message::parse(Frame::from_bytes(message.to_vec())) {
            let _ = message.body::<JobRequest>();
            let _ = message.body::<Receipt>();
        }
    })
}

#[test]
fn a_declared_length_costs_nothing() {
    for declared in [16 * 1024 * 1024_u32, u32::MAX] {
        let used = peak(|| {
            let mut reader = FrameReader::new(limits::FRAME);
            reader.push(&declared.to_be_bytes());
            reader.push(b"and a few bytes");
            let _ = reader.next_frame();
        });
        assert!(used < 256, "{used} bytes for a length of {declared}");
    }
}

#[test]
fn a_slow_sender_costs_what_it_sent() {
    let mut sent = 0;
    let used = peak(|| {
        let mut reader = FrameReader::new(limits::FRAME);
        reader.push(&(limits::FRAME as u32).to_be_bytes());
        for _ in 0..100 {
            reader.push(&[0x80; 1000]);
            sent += 1000;
            assert_eq!(reader.next_frame(), Ok(None));
        }
    });
    assert!(used <= 3 * sent + 1024, "{used} bytes for {sent}");
}

#[test]
fn a_line_without_end_costs_what_was_sent() {
    let mut sent = 0;
    let used = peak(|| {
        let mut reader = ClientReader::new(limits::FRAME);
        reader.push(b"{");
        for _ in 0..100 {
            reader.push(&[b'['; 1000]);
            sent += 1000;
            assert_eq!(reader.next_frame(), Ok(None));
        }
    });
    assert!(used <= 3 * sent + 1024, "{used} bytes for {sent}");
}

#[test]
fn a_hostile_line_costs_a_small_multiple() {
    let with = |files: &str| format!("{{\"id\":1,\"kind\":\"edit\",\"files\":[{files}0]}}");
    let floats = "1e9,".repeat(99_999);
    let lists = format!("[{floats}0],").repeat(9);
    for text in [with(&lists), with(&floats), with(&"[],".repeat(99_999)), with(&"[".repeat(1_000_000))] {
        let line = Frame::from_bytes(text.into_bytes());
        let size = line.as_bytes().len();
        let used = peak(|| {
            let _ = Framing::Lines.parse(line);
        });
        // Nine bytes of MessagePack for four of JSON, in a buffer that doubles and is moved.
        assert!(used <= 7 * size, "{used} bytes for {size}");
    }
}

#[test]
fn a_large_frame_ends_in_a_buffer_of_its_size() {
    let used = peak(|| {
        let mut reader = FrameReader::new(limits::FRAME);
        reader.push(&(limits::FRAME as u32).to_be_bytes());
        for _ in 0..limits::FRAME / 4096 {
            reader.push(&[0; 4096]);
        }
        assert_eq!(reader.next_frame().unwrap().unwrap().as_bytes().len(), limits::FRAME);
    });
    // When the buffer is moved for the last time, the first half exists twice for a moment.
    assert!(used <= limits::FRAME * 3 / 2 + 16 * 1024, "{used}");
}

#[test]
fn many_small_frames_are_forgotten_once_taken() {
    let mut frames = Vec::new();
    for _ in 0..10_000 {
        frames.extend_from_slice(&[0, 0, 0, 1, 0x80]);
    }
    let used = peak(|| {
        let mut reader = FrameReader::new(limits::FRAME);
        for _ in 0..20 {
            reader.push(&frames);
            while let Ok(Some(_)) = reader.next_frame() {}
            assert!(!reader.is_mid_frame());
        }
    });
    assert!(used <= 2 * frames.len(), "{used}");
}

#[test]
fn a_declared_count_costs_nothing() {
    for list in [
        &b"\xdd\xff\xff\xff\xff"[..],
        b"\xdd\x00\x01\x86\xa0",
        b"\xdf\x00\x01\x86\xa0",
        b"\xdb\xff\xff\xff\xff",
    ] {
        let used = cost(&[&b"\x83\xa2id\x01\xa4kind\xa4edit\xa5files"[..], list].concat());
        assert!(used < 2048, "{used} bytes for {list:?}");
    }
}

#[test]
fn a_list_of_what_is_no_file_costs_a_fixed_sum() {
    let junk =
        [&b"\x83\xa2id\x01\xa4kind\xa4edit\xa5files\xdd\x00\x01\x86\xa0"[..], &[0xc0; 100_000]].concat();
    let used = cost(&junk);
    assert!(used <= AHEAD + 2 * junk.len(), "{used} bytes for {}", junk.len());
}

#[test]
fn keys_without_end_cost_a_small_multiple() {
    let mut bytes = b"\xdf\x00\x01\x86\xa0".to_vec();
    for n in 0..100_000_u32 {
        bytes.push(0xa3);
        bytes.extend([(n & 127) as u8, (n >> 7 & 127) as u8, (n >> 14) as u8, 0xc0]);
    }
    let used = cost(&bytes);
    assert!(used <= 8 * bytes.len(), "{used} bytes for {}", bytes.len());
}

#[test]
fn well_formed_edits_cost_no_more_than_the_limit_on_edits_allows() {
    let per_file = 49_000_u32;
    let mut bytes = b"\x83\xa2id\x01\xa4kind\xa4edit\xa5files\x96".to_vec();
    for _ in 0..6 {
        bytes.extend(b"\x82\xa4path\xa1a\xa5edits\xdd");
        bytes.extend(per_file.to_be_bytes());
        bytes.extend(b"\x81\xa2op\xa0".repeat(per_file as usize));
    }
    let used = cost(&bytes);
    // Three files of that size are read before the limit takes effect, and a list may have grown to twice its length
    // with half of that still to be copied.
    let bound = 3 * per_file as usize * size_of::<FileEdit>() * 3 / 2 + bytes.len();
    assert!(used <= bound, "{} bytes cost {used}, above {bound}", bytes.len());
}

#[test]
fn the_cost_of_a_body_is_known_before_it_is_decoded() {
    let edits = 50_000_u32;
    let mut bytes = b"\x83\xa2id\x01\xa4kind\xa4edit\xa5files\x91\x82\xa4path\xa1a\xa5edits\xdd".to_vec();
    bytes.extend(edits.to_be_bytes());
    bytes.extend(b"\x81\xa2op\xa0".repeat(edits as usize));
    let message = Message::parse(Frame::from_bytes(bytes)).unwrap();
    let mut kept = None;
    let used = peak(|| kept = message.body::<JobRequest>().ok());
    assert!(kept.is_some());
    // A growing list is moved, so half of it exists twice for a moment.
    let (cost, edit) = (message.cost(), size_of::<FileEdit>());
    assert!(
        used <= cost * 2,
        "{used} bytes were used, {cost} estimated; each edit has {edit}: estimate more for a map"
    );
    assert!(cost <= used * 2, "{used} bytes were used, {cost} estimated; each edit has {edit}");
}

#[test]
fn a_body_decoded_in_two_steps_costs_its_estimate() {
    let lists = 9;
    let mut bytes = b"\x83\xa2id\x01\xa4kind\xa4wait\xa1x\x99".to_vec();
    for _ in 0..lists {
        bytes.extend(b"\xdd");
        bytes.extend((limits::COUNT as u32).to_be_bytes());
        bytes.extend(b"\xc0".repeat(limits::COUNT));
    }
    let message = Message::parse(Frame::from_bytes(bytes)).unwrap();
    let used = peak(|| drop(message.placed_body::<WaitRequest>()));
    assert!(used > lists * limits::COUNT, "the values were read: {used} bytes");
    assert!(used <= message.cost(), "{used} bytes were used, {} estimated", message.cost());
}
