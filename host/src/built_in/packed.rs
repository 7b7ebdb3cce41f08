//! Bytes that the program holds compressed, since most runs use few of them.
//!
//! `build.rs` compresses them. It adds a checksum, so what is unpacked is what was packed.

/// Compressed bytes, and how many they are unpacked.
#[derive(Clone, Copy)]
pub struct Packed {
    compressed: &'static [u8],
    len_bytes: usize,
}

impl Packed {
    /// Bytes that `build.rs` compressed.
    pub(crate) const fn new(compressed: &'static [u8], len_bytes: usize) -> Packed {
        Packed {
            compressed,
            len_bytes,
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
        let unpacked = zstd::bulk::decompress(self.compressed, self.len_bytes);
        unpacked.expect("the program's file is damaged: install Tamis again")
    }
}

impl std::fmt::Debug for Packed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Packed({} bytes)", self.len_bytes)
    }
}
