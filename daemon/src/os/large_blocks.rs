//! The allocator of the daemon: the system's, which keeps freed large blocks for the next ones of their size. It takes no
//! memory of its own and decides nothing about small blocks.
//!
//! The system's allocator maps each large block and returns it as soon as it is freed. So each content of a file, of which
//! an edit has several, is filled by page faults, which cost more than all that is done with the content.
//!
//! *Invariants*: the kept blocks have at most [`MOST`] bytes in all; [`give_back`] returns all of them, and
//! [`give_back_unused`] those that were not used for a while.

#![expect(unsafe_code, reason = "an allocator cannot be written without it")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bytes from which a block is kept: smaller ones are kept by the system's allocator.
const LEAST: usize = super::memory::MAPPED;

/// Bytes of all kept blocks: three contents of the largest file.
const MOST: usize = 3 * editd_proto::limits::FILE;

/// Bytes up to which a block is kept: a content of the largest file, and the text that a job adds to it.
const LARGEST: usize = MOST / 2;

/// Blocks that are kept. A job over many files uses the same few again and again.
const BLOCKS: usize = 32;

/// Calls of [`give_back_unused`] after which a block that was not used is returned: some seconds of steady work.
const UNUSED: u64 = 64;

/// The alignment of blocks from the system's allocator: of `usize` and of everything that contents consist of.
const ALIGNED: usize = 16;

/// The allocator. Unit tests call it themselves.
#[derive(Clone, Copy, Debug, Default)]
struct LargeBlocks;

#[cfg(not(test))]
#[global_allocator]
static ALLOCATOR: LargeBlocks = LargeBlocks;

/// A freed block.
#[derive(Clone, Copy)]
struct KeptBlock {
    at: *mut u8,
    size: usize,
    /// The time at which it was freed, in calls of [`give_back_unused`].
    freed: u64,
}

struct KeptBlocks {
    blocks: [Option<KeptBlock>; BLOCKS],
    bytes: usize,
    now: u64,
}

// SAFETY: a freed block belongs to whoever takes it out, and no two threads take the same one.
unsafe impl Send for KeptBlocks {}

static KEPT: Mutex<KeptBlocks> = Mutex::new(KeptBlocks { blocks: [None; BLOCKS], bytes: 0, now: 0 });

fn kept() -> MutexGuard<'static, KeptBlocks> {
    // Nothing under the lock allocates or panics.
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

impl KeptBlocks {
    /// Takes a block of this size, which is that of a size class.
    fn take(&mut self, size: usize) -> Option<*mut u8> {
        let mut slots = self.blocks.iter_mut();
        let block = slots.find(|slot| slot.as_ref().is_some_and(|block| block.size == size))?.take()?;
        self.bytes -= block.size;
        Some(block.at)
    }

    /// Keeps a block if there is room for it; otherwise removes another one, which must be freed first. There is room for
    /// each block once no other is kept.
    fn keep(&mut self, at: *mut u8, size: usize) -> Option<KeptBlock> {
        let now = self.now;
        match self.blocks.iter_mut().find(|slot| slot.is_none()) {
            Some(slot) if self.bytes + size <= MOST => {
                *slot = Some(KeptBlock { at, size, freed: now });
                self.bytes += size;
                None
            }
            _ => self.oldest(|_| true),
        }
    }

    /// Removes the block that was freed first, if it is one of these.
    fn oldest(&mut self, is: impl Fn(&KeptBlock) -> bool) -> Option<KeptBlock> {
        let slots = self.blocks.iter_mut().filter(|slot| slot.is_some());
        let slot = slots.min_by_key(|slot| slot.map_or(0, |block| block.freed))?;
        let block = slot.filter(is)?;
        *slot = None;
        self.bytes -= block.size;
        Some(block)
    }
}

/// Returns the kept blocks to the system.
pub(super) fn give_back() {
    while let Some(block) = next(|kept| kept.oldest(|_| true)) {
        free(block);
    }
}

/// Returns the kept blocks to the system that were not used for some time, which is counted in calls of this function.
pub fn give_back_unused() {
    kept().now += 1;
    while let Some(block) = next(|kept| {
        let now = kept.now;
        kept.oldest(|block| now - block.freed >= UNUSED)
    }) {
        free(block);
    }
}

fn next(take: impl FnOnce(&mut KeptBlocks) -> Option<KeptBlock>) -> Option<KeptBlock> {
    take(&mut kept())
}

fn free(block: KeptBlock) {
    // SAFETY: the block was allocated with this layout, and was taken out of the kept ones.
    unsafe { System.dealloc(block.at, Layout::from_size_align_unchecked(block.size, ALIGNED)) }
}

/// Returns the layout of the block in which an allocation is: for a large one that of its size class, so that contents
/// that differ by a few lines have blocks of one size. `None` if it is left to the system's allocator.
fn block_of(layout: Layout) -> Option<Layout> {
    let size = layout.size();
    // Blocks of the system's allocator have that alignment on 64-bit machines.
    if !(LEAST..=LARGEST).contains(&size) || layout.align() > ALIGNED || usize::BITS < 64 {
        return None;
    }
    let step = (size.next_power_of_two() / 16).max(LEAST / 4);
    Layout::from_size_align(size.next_multiple_of(step), ALIGNED).ok()
}

const _: () = assert!(LARGEST + LARGEST / 8 <= MOST && BLOCKS > 0);

// SAFETY: every block comes from the system's allocator with the layout that `block_of` computes of the layout of the
// allocation, or with that layout itself; it goes back there with the same one, since that depends on nothing else. A kept
// block is in use by nobody, and has the size of the class of the allocation that takes it.
unsafe impl GlobalAlloc for LargeBlocks {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let Some(block) = block_of(layout) else {
            // SAFETY: the caller keeps the contract of `alloc`.
            return unsafe { System.alloc(layout) };
        };
        if let Some(at) = kept().take(block.size()) {
            return at;
        }
        // SAFETY: the size is above 0.
        let at = unsafe { System.alloc(block) };
        if !at.is_null() {
            return at;
        }
        give_back();
        // SAFETY: the size is above 0.
        unsafe { System.alloc(block) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let Some(block) = block_of(layout) else {
            // SAFETY: the caller keeps the contract of `alloc_zeroed`.
            return unsafe { System.alloc_zeroed(layout) };
        };
        if let Some(at) = kept().take(block.size()) {
            // SAFETY: the block has at least as many bytes.
            unsafe { at.write_bytes(0, layout.size()) };
            return at;
        }
        // SAFETY: the size is above 0.
        unsafe { System.alloc_zeroed(block) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        let Some(block) = block_of(layout) else {
            // SAFETY: the caller keeps the contract of `dealloc`.
            return unsafe { System.dealloc(at, layout) };
        };
        while let Some(oldest) = next(|kept| kept.keep(at, block.size())) {
            free(oldest);
        }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `realloc`, so the size fits the alignment.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        let (had, gets) = (block_of(layout).unwrap_or(layout), block_of(wanted).unwrap_or(wanted));
        if had == gets {
            return at;
        }
        // SAFETY: the block has the layout `had`. The system's allocator moves a large one without a copy.
        unsafe { System.realloc(at, had, gets.size()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 8).unwrap_or_else(|_| Layout::new::<u8>())
    }

    fn allocated(size: usize) -> *mut u8 {
        // SAFETY: the size is above 0.
        let at = unsafe { LargeBlocks.alloc(layout(size)) };
        assert!(!at.is_null());
        at
    }

    fn freed(at: *mut u8, size: usize) {
        // SAFETY: the test allocated the block with this size, and uses it no more.
        unsafe { LargeBlocks.dealloc(at, layout(size)) };
    }

    /// Returns the number of kept blocks and their bytes.
    fn kept_now() -> (usize, usize) {
        let kept = kept();
        (kept.blocks.iter().flatten().count(), kept.bytes)
    }

    /// All in one test: the kept blocks are those of the process.
    #[test]
    fn a_freed_block_is_used_again_and_no_more_are_kept_than_fit() {
        let size = 1_000_000;
        let at = allocated(size);
        // SAFETY: the block has as many bytes.
        unsafe { at.write_bytes(7, size) };
        freed(at, size);
        let again = allocated(size + 1_000);
        assert_eq!(again, at, "a content that has grown a little has a block of the same size");
        freed(again, size + 1_000);
        // SAFETY: the size is above 0, and the block has as many bytes.
        let zeros = unsafe {
            let zeroed = LargeBlocks.alloc_zeroed(layout(size));
            assert_eq!(zeroed, at);
            std::slice::from_raw_parts(zeroed, size).iter().all(|byte| *byte == 0)
        };
        assert!(zeros);
        // SAFETY: the block was allocated with this layout, and as many bytes as both sizes have are compared.
        let grown = unsafe {
            at.write_bytes(7, size);
            let grown = LargeBlocks.realloc(at, layout(size), 3 * size);
            assert!(!grown.is_null());
            assert!(std::slice::from_raw_parts(grown, size).iter().all(|byte| *byte == 7));
            grown
        };
        freed(grown, 3 * size);
        assert_eq!(kept_now().0, 1);
        let other = allocated(size);
        assert_ne!(other, grown, "a block that is much larger is left to others");
        freed(other, size);

        let all: Vec<*mut u8> = (0..2 * BLOCKS).map(|_| allocated(LEAST)).collect();
        all.into_iter().for_each(|at| freed(at, LEAST));
        assert_eq!(kept_now().0, BLOCKS);
        let all: Vec<*mut u8> = (0..5).map(|_| allocated(LARGEST)).collect();
        all.into_iter().for_each(|at| freed(at, LARGEST));
        assert!((LARGEST..=MOST).contains(&kept_now().1));
        let (small, huge) = (allocated(LEAST - 1), allocated(LARGEST + 1));
        let before = kept_now();
        freed(small, LEAST - 1);
        freed(huge, LARGEST + 1);
        assert_eq!(kept_now(), before, "these are left to the system's allocator");

        (1..UNUSED).for_each(|_| give_back_unused());
        assert_eq!(kept_now(), before);
        give_back_unused();
        assert_eq!(kept_now(), (0, 0));
        freed(allocated(size), size);
        give_back();
        assert_eq!(kept_now(), (0, 0));
    }
}
