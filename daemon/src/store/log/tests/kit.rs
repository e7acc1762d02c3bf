//! Logs and records for the tests. It checks only the records that it reads back.

use editd_proto::ids::JobId;

use crate::record::{ClipboardRecord, Record};
use crate::store::log::mend::LogGap;
use crate::store::log::payload::{self, RecordPayload};
use crate::store::log::recover::{self, LogCheckpoint, LogItem};
use crate::store::log::{Log, LogLocation, PlacedRecord};
use crate::store::tests::fake::FakeMachine;
use crate::store::{LogPosition, StoreError};

pub(super) const SIZE: u64 = 24 * 1024;

pub(super) fn small(n: u64) -> RecordPayload {
    payload::encode(&Record::Void(JobId(n))).unwrap()
}

/// Returns a record of bytes that cannot be compressed.
pub(super) fn large(n: u64, len: usize) -> Record {
    let mut seed = n.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let bytes = std::iter::repeat_with(|| next(&mut seed) as u8).take(len).collect();
    let name = n.to_string();
    Record::Clip(ClipboardRecord { session: String::new(), name, bytes: Some(bytes), origin: None, time: n })
}

pub(super) fn next(seed: &mut u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed
}

pub(super) fn open(
    machine: &FakeMachine,
    from: Option<LogCheckpoint>,
) -> Result<(Log, Vec<(LogPosition, Record)>), StoreError> {
    let (log, seen, gaps) = open_damaged(machine, from)?;
    assert_eq!(gaps, [], "no test opens a damaged log by this");
    Ok((log, seen))
}

/// Opens a log, and also returns the damage that was passed.
#[expect(clippy::type_complexity, reason = "a log, its records and its gaps, used in two places")]
pub(super) fn open_damaged(
    machine: &FakeMachine,
    from: Option<LogCheckpoint>,
) -> Result<(Log, Vec<(LogPosition, Record)>, Vec<LogGap>), StoreError> {
    let (mut seen, mut gaps) = (Vec::new(), Vec::new());
    let home = LogLocation { os: machine.os(), dir: machine.dir(), size: SIZE };
    let log = recover::open(home, from, &mut |item| {
        match item {
            LogItem::Record(at, _, record) => seen.push((at, *record)),
            LogItem::Gap(gap) => gaps.push(gap),
        }
        Ok(())
    })?;
    // The first record of the epoch, as the store writes it.
    let start = log.append(&[small(u64::MAX)])?;
    log.flush(start[0].at)?;
    seen.retain(|(_, record)| *record != Record::Void(JobId(u64::MAX)));
    Ok((log, seen, gaps))
}

pub(super) fn ids(seen: &[(LogPosition, Record)]) -> Vec<u64> {
    seen.iter()
        .map(|(_, record)| match record {
            Record::Void(id) => id.0,
            Record::Clip(clip) => {
                assert_eq!(*record, large(clip.time, clip.bytes.as_ref().unwrap().len()));
                clip.time
            }
            other => panic!("{other:?}"),
        })
        .collect()
}

pub(super) fn put(log: &Log, records: &[Record]) -> Vec<PlacedRecord> {
    let group: Vec<RecordPayload> = records.iter().map(|r| payload::encode(r).unwrap()).collect();
    log.append(&group).unwrap()
}
