//! Where the program's memory comes from on Linux.
//!
//! Owns the choice between two allocators by the size of a block. The threads that serve give each other blocks: what one
//! allocates, another frees. The C library has them wait for each other at that, `mimalloc` does not. Refuses to know what
//! blocks hold.

// An allocator is unsafe by its nature. Each call is passed on with the layout it came with.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::{c_int, c_long};
use std::ptr;

use mimalloc::MiMalloc;

/// Blocks of so many bytes and more are the C library's, which moves the pages of one that grows, and gives them back at once.
const LARGE_BYTES: usize = 64 << 10;

/// How long `mimalloc` keeps pages with no block in them. A server takes them again for the next calls, and to get new ones
/// from the system costs 5 % of a call.
const KEPT_MS: c_long = 1000;

/// `mi_option_purge_delay` in `mimalloc.h`.
const PURGE_DELAY: c_int = 15;

unsafe extern "C" {
    fn mi_option_set(option: c_int, value: c_long);
}

/// Has pages kept for [`KEPT_MS`].
pub fn keep_pages() {
    // SAFETY: the number is that of an option, which may be set at any time.
    unsafe { mi_option_set(PURGE_DELAY, KEPT_MS) }
}

/// Small blocks from `mimalloc`, large ones from the C library.
pub struct BySize;

// SAFETY: a block's allocator is told by its size, which `dealloc` and `realloc` are given as it was allocated. Both keep
// what `GlobalAlloc` asks for.
unsafe impl GlobalAlloc for BySize {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match is_large(layout.size()) {
            true => unsafe { System.alloc(layout) },
            false => unsafe { MiMalloc.alloc(layout) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match is_large(layout.size()) {
            true => unsafe { System.alloc_zeroed(layout) },
            false => unsafe { MiMalloc.alloc_zeroed(layout) },
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match is_large(layout.size()) {
            true => unsafe { System.dealloc(block, layout) },
            false => unsafe { MiMalloc.dealloc(block, layout) },
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        match (is_large(layout.size()), is_large(size)) {
            (true, true) => unsafe { System.realloc(block, layout, size) },
            (false, false) => unsafe { MiMalloc.realloc(block, layout, size) },
            // SAFETY: the caller promises a size that is not 0 and makes a layout. The blocks do not overlap.
            _ => unsafe {
                let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
                if !moved.is_null() {
                    ptr::copy_nonoverlapping(block, moved, layout.size().min(size));
                    self.dealloc(block, layout);
                }
                moved
            },
        }
    }
}

fn is_large(bytes: usize) -> bool {
    bytes >= LARGE_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::slice;

    unsafe extern "C" {
        fn mi_option_get(option: c_int) -> c_long;
    }

    #[test]
    fn pages_are_kept_for_longer_than_by_default() {
        // SAFETY: the number is that of an option.
        let kept = || unsafe { mi_option_get(PURGE_DELAY) };
        assert_eq!(kept(), 10, "the default: it is the right option");
        keep_pages();
        assert_eq!(kept(), KEPT_MS);
    }

    #[test]
    fn a_block_keeps_its_bytes_from_one_allocator_to_the_other() {
        const SMALLER: usize = LARGE_BYTES - 1;
        const SIZES: [usize; 7] = [
            100,
            SMALLER,
            LARGE_BYTES,
            3 * LARGE_BYTES,
            SMALLER,
            50,
            9 << 20,
        ];
        for align in [1, 16, 4096] {
            let layout = |size| Layout::from_size_align(size, align).expect("a layout");
            // SAFETY: no size is 0, each layout is that of the block, and what is read was written.
            unsafe {
                let mut block = BySize.alloc(layout(SIZES[0]));
                for sizes in SIZES.windows(2) {
                    let (from, to) = (sizes[0], sizes[1]);
                    slice::from_raw_parts_mut(block, from).fill(from as u8);
                    block = BySize.realloc(block, layout(from), to);
                    assert_eq!(block.addr() % align, 0);
                    let kept = slice::from_raw_parts(block, from.min(to));
                    assert!(kept.iter().all(|byte| *byte == from as u8));
                }
                BySize.dealloc(block, layout(SIZES[SIZES.len() - 1]));
                let zeros = BySize.alloc_zeroed(layout(LARGE_BYTES));
                assert!(
                    slice::from_raw_parts(zeros, LARGE_BYTES)
                        .iter()
                        .all(|byte| *byte == 0)
                );
                BySize.dealloc(zeros, layout(LARGE_BYTES));
            }
        }
    }
}
