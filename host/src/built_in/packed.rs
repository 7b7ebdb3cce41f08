//! Bytes that the program holds compressed, since most runs use few of them.
//!
//! `build.rs` compresses them. It adds a checksum, so what is unpacked is what was packed.

use std::borrow::Cow;

/// Compressed bytes, and how many they are unpacked.
#[derive(Clone, Copy)]
pub struct Packed {
    compressed: &'static [u8],
    len_bytes: usize,
    like: Option<Like>,
}

/// Bytes that are much like others, whose compressed form has only the difference.
#[derive(Clone, Copy)]
pub(crate) enum Like {
    #[cfg_attr(
        not(code_ahead),
        allow(dead_code, reason = "the like of machine code that is made ahead")
    )]
    Bytes(&'static [u8]),
    Packed(&'static Packed),
}

impl Packed {
    /// Bytes that `build.rs` compressed.
    pub(crate) const fn new(compressed: &'static [u8], len_bytes: usize) -> Packed {
        Packed {
            compressed,
            len_bytes,
            like: None,
        }
    }

    /// The same, compressed with these bytes as dictionary.
    pub(crate) const fn like(self, like: Like) -> Packed {
        Packed {
            compressed: self.compressed,
            len_bytes: self.len_bytes,
            like: Some(like),
        }
    }

    /// The size of the bytes unpacked.
    pub const fn len_bytes(&self) -> usize {
        self.len_bytes
    }

    /// A copy of the bytes, unpacked.
    ///
    /// # Panics
    ///
    /// The program's file is damaged.
    pub fn unpack(&self) -> Vec<u8> {
        let like = match self.like {
            None => Cow::Borrowed(&[][..]),
            Some(Like::Bytes(bytes)) => Cow::Borrowed(bytes),
            Some(Like::Packed(packed)) => Cow::Owned(packed.unpack()),
        };
        let unpacked = zstd::bulk::Decompressor::with_dictionary(&like)
            .and_then(|mut it| it.decompress(self.compressed, self.len_bytes));
        unpacked.expect("the program's file is damaged: install Tamis again")
    }
}

impl std::fmt::Debug for Packed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Packed({} bytes)", self.len_bytes)
    }
}
