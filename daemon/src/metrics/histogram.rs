//! A histogram of latencies with a fixed size. It is the log-linear histogram of Gil Tene's HdrHistogram
//! (<https://hdrhistogram.github.io/HdrHistogram/>) with atomic counts: each power of two of microseconds has
//! [`PARTS`] buckets of the same width, so a quantile is at most a sixteenth too large.

use std::array::from_fn;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use editd_proto::message::LatencyInfo;

/// The buckets of each power of two, as a power of two.
const PART_BITS: u32 = 4;
const PARTS: usize = 1 << PART_BITS;

/// The largest power of two that has buckets: 2^36 µs are 19 hours. Longer times count as that long.
const TOP: u32 = 36;

const BUCKETS: usize = (TOP - PART_BITS + 2) as usize * PARTS;

/// A histogram of latencies.
#[derive(Debug)]
pub(super) struct LatencyHistogram {
    buckets: [AtomicU64; BUCKETS],
    sum: AtomicU64,
    max: AtomicU64,
}

impl Default for LatencyHistogram {
    fn default() -> Self {
        Self { buckets: from_fn(|_| AtomicU64::new(0)), sum: AtomicU64::new(0), max: AtomicU64::new(0) }
    }
}

/// Returns the bucket of a time in microseconds.
fn bucket(time: u64) -> usize {
    let power = (u64::BITS - 1).saturating_sub(time.leading_zeros());
    if power < PART_BITS {
        return usize::try_from(time).unwrap_or(0);
    }
    if power > TOP {
        return BUCKETS - 1;
    }
    let shift = power - PART_BITS;
    let part = usize::try_from(time >> shift).unwrap_or(0) & (PARTS - 1);
    (shift as usize + 1) * PARTS + part
}

/// Returns the largest time in a bucket.
fn upper(bucket: usize) -> u64 {
    if bucket < PARTS {
        return bucket as u64;
    }
    let (shift, part) = (bucket / PARTS - 1, bucket % PARTS);
    (((PARTS + part + 1) as u64) << shift) - 1
}

impl LatencyHistogram {
    /// Adds a latency.
    pub(super) fn record(&self, time: Duration) {
        let time = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        if let Some(count) = self.buckets.get(bucket(time)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.sum.fetch_add(time, Ordering::Relaxed);
        self.max.fetch_max(time, Ordering::Relaxed);
    }

    /// Returns the number of latencies, their sum and their quantiles. Latencies that are added meanwhile may be in
    /// some of them only.
    pub(super) fn info(&self) -> LatencyInfo {
        let counts: Vec<u64> = self.buckets.iter().map(|count| count.load(Ordering::Relaxed)).collect();
        let (count, max) = (counts.iter().sum(), self.max.load(Ordering::Relaxed));
        let at = |share: u64| quantile(&counts, count, share).min(max);
        LatencyInfo {
            count,
            sum_us: self.sum.load(Ordering::Relaxed),
            p50_us: at(50),
            p90_us: at(90),
            p99_us: at(99),
            max_us: max,
        }
    }
}

/// Returns the time that `share` hundredths of the latencies do not exceed.
fn quantile(counts: &[u64], all: u64, share: u64) -> u64 {
    let rank = all.saturating_mul(share).div_ceil(100).max(1);
    let mut passed = 0_u64;
    for (bucket, count) in counts.iter().enumerate() {
        passed = passed.saturating_add(*count);
        if passed >= rank {
            return upper(bucket);
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_time_is_in_the_bucket_that_ends_at_or_after_it_by_a_sixteenth() {
        let mut last = 0;
        let powers = (0..=TOP).flat_map(|power| [1_u64 << power, (1 << power) + 1, (2_u64 << power) - 1]);
        for time in (0..5000).chain(powers) {
            let top = upper(bucket(time));
            assert!(top >= time && top - time <= time / PARTS as u64, "{time}: {top}");
        }
        for bucket in 1..BUCKETS {
            assert!(upper(bucket) > last, "{bucket}");
            last = upper(bucket);
        }
        assert_eq!((bucket(u64::MAX), bucket(1 << 40)), (BUCKETS - 1, BUCKETS - 1));
    }

    #[test]
    fn quantiles_are_those_of_the_sorted_times() {
        let times = LatencyHistogram::default();
        assert_eq!(times.info(), LatencyInfo::default());
        for time in 1..=1000_u64 {
            times.record(Duration::from_micros(time * 10));
        }
        let told = times.info();
        assert_eq!((told.count, told.sum_us, told.max_us), (1000, 5_005_000, 10_000));
        for (told, exact) in [(told.p50_us, 5000_u64), (told.p90_us, 9000), (told.p99_us, 9900)] {
            assert!(told >= exact && told <= exact + exact / PARTS as u64, "{told} for {exact}");
        }
        let one = LatencyHistogram::default();
        one.record(Duration::from_secs(200_000));
        assert_eq!(one.info().max_us, 200_000_000_000);
    }
}
