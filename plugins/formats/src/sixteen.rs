//! Looks at sixteen bytes at once: each look gives a bit for each byte, that of the first byte the lowest.
//!
//! In WebAssembly these are vectors, elsewhere loops that the compiler makes vectors of.

/// Sixteen bytes.
#[derive(Clone, Copy)]
pub struct Sixteen(lanes::Lanes);

impl Sixteen {
    #[inline]
    pub fn of(bytes: &[u8; 16]) -> Sixteen {
        let (low, high) = bytes.split_at(8);
        let part = |half: &[u8]| half.first_chunk().map_or(0, |it| u64::from_le_bytes(*it));
        Sixteen::of_parts(part(low), part(high))
    }

    /// Those of two numbers, the lowest first.
    #[inline]
    pub fn of_parts(low: u64, high: u64) -> Sixteen {
        Sixteen(lanes::of(low, high))
    }

    /// The same with letters of ASCII in lower case, and some signs changed to others.
    #[inline]
    pub fn lower(self) -> Sixteen {
        Sixteen(lanes::lower(self.0))
    }

    /// The same with zeros for all digits, as two numbers.
    #[inline]
    pub fn without_digits(self) -> [u64; 2] {
        lanes::without_digits(self.0)
    }

    /// What the bytes are, a bit of each byte for each class. `low` and `high`: the classes that the lower and the higher
    /// half of a byte may be of. A byte is of those in both.
    #[inline]
    pub fn classes(self, low: Sixteen, high: Sixteen) -> Sixteen {
        Sixteen(lanes::classes(self.0, low.0, high.0))
    }

    /// Zeros for all bytes but those from the `from`th up to the `to`th.
    #[inline]
    pub fn within(self, from: usize, to: usize) -> Sixteen {
        Sixteen(lanes::within(self.0, from as u8, to as u8))
    }

    /// The bits of both.
    #[inline]
    pub fn or(self, other: Sixteen) -> Sixteen {
        Sixteen(lanes::or(self.0, other.0))
    }

    /// The bytes as two numbers, the first bytes the lowest.
    #[inline]
    pub fn parts(self) -> [u64; 2] {
        lanes::parts(self.0)
    }

    /// Bits of the bytes from `first` to `last`.
    #[inline]
    pub fn between(self, first: u8, last: u8) -> u32 {
        lanes::between(self.0, first, last)
    }

    /// Bits of the bytes that are this one.
    #[inline]
    pub fn are(self, byte: u8) -> u32 {
        lanes::are(self.0, byte)
    }

    /// Bits of the bytes that are one of these.
    #[inline]
    pub fn are_one_of<const N: usize>(self, bytes: [u8; N]) -> u32 {
        lanes::are_one_of(self.0, bytes)
    }

    /// Bits of the bytes that are not of ASCII.
    #[inline]
    pub fn are_high(self) -> u32 {
        lanes::are_high(self.0)
    }
}

#[cfg(target_arch = "wasm32")]
mod lanes {
    use std::arch::wasm32::{
        u8x16, u8x16_bitmask, u8x16_eq, u8x16_le, u8x16_lt, u8x16_shr, u8x16_splat, u8x16_sub,
        u8x16_swizzle, u64x2, u64x2_extract_lane, v128, v128_and, v128_andnot, v128_or,
    };

    pub(super) type Lanes = v128;

    #[inline]
    pub(super) fn of(low: u64, high: u64) -> Lanes {
        u64x2(low, high)
    }

    #[inline]
    pub(super) fn lower(bytes: Lanes) -> Lanes {
        v128_or(bytes, u8x16_splat(0x20))
    }

    #[inline]
    pub(super) fn without_digits(bytes: Lanes) -> [u64; 2] {
        let digits = u8x16_le(u8x16_sub(bytes, u8x16_splat(b'0')), u8x16_splat(9));
        parts(v128_andnot(bytes, v128_and(digits, u8x16_splat(0x0f))))
    }

    #[inline]
    pub(super) fn parts(bytes: Lanes) -> [u64; 2] {
        [
            u64x2_extract_lane::<0>(bytes),
            u64x2_extract_lane::<1>(bytes),
        ]
    }

    #[inline]
    pub(super) fn or(bytes: Lanes, others: Lanes) -> Lanes {
        v128_or(bytes, others)
    }

    #[inline]
    pub(super) fn classes(bytes: Lanes, low: Lanes, high: Lanes) -> Lanes {
        let of_low = u8x16_swizzle(low, v128_and(bytes, u8x16_splat(0x0f)));
        let of_high = u8x16_swizzle(high, u8x16_shr(bytes, 4));
        v128_and(of_low, of_high)
    }

    #[inline]
    pub(super) fn within(bytes: Lanes, from: u8, to: u8) -> Lanes {
        const PLACES: v128 = u8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let after = u8x16_sub(PLACES, u8x16_splat(from));
        v128_and(bytes, u8x16_lt(after, u8x16_splat(to - from)))
    }

    #[inline]
    pub(super) fn between(bytes: Lanes, first: u8, last: u8) -> u32 {
        let from_first = u8x16_sub(bytes, u8x16_splat(first));
        u32::from(u8x16_bitmask(u8x16_le(
            from_first,
            u8x16_splat(last - first),
        )))
    }

    #[inline]
    pub(super) fn are(bytes: Lanes, byte: u8) -> u32 {
        u32::from(u8x16_bitmask(u8x16_eq(bytes, u8x16_splat(byte))))
    }

    #[inline]
    pub(super) fn are_one_of<const N: usize>(bytes: Lanes, ones: [u8; N]) -> u32 {
        let same = ones.map(|one| u8x16_eq(bytes, u8x16_splat(one)));
        let all = same.into_iter().reduce(|all, same| v128_or(all, same));
        all.map_or(0, |all| u32::from(u8x16_bitmask(all)))
    }

    #[inline]
    pub(super) fn are_high(bytes: Lanes) -> u32 {
        u32::from(u8x16_bitmask(bytes))
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod lanes {
    pub(super) type Lanes = [u8; 16];

    pub(super) fn of(low: u64, high: u64) -> Lanes {
        (u128::from(low) | u128::from(high) << 64).to_le_bytes()
    }

    pub(super) fn lower(bytes: Lanes) -> Lanes {
        bytes.map(|byte| byte | 0x20)
    }

    pub(super) fn without_digits(bytes: Lanes) -> [u64; 2] {
        parts(bytes.map(|byte| if byte.is_ascii_digit() { b'0' } else { byte }))
    }

    pub(super) fn parts(bytes: Lanes) -> [u64; 2] {
        let all = u128::from_le_bytes(bytes);
        [all as u64, (all >> 64) as u64]
    }

    pub(super) fn or(bytes: Lanes, others: Lanes) -> Lanes {
        std::array::from_fn(|at| bytes[at] | others[at])
    }

    pub(super) fn classes(bytes: Lanes, low: Lanes, high: Lanes) -> Lanes {
        bytes.map(|byte| low[usize::from(byte & 0x0f)] & high[usize::from(byte >> 4)])
    }

    pub(super) fn within(bytes: Lanes, from: u8, to: u8) -> Lanes {
        let is_within = |at: usize| (usize::from(from)..usize::from(to)).contains(&at);
        std::array::from_fn(|at| if is_within(at) { bytes[at] } else { 0 })
    }

    pub(super) fn between(bytes: Lanes, first: u8, last: u8) -> u32 {
        bits(bytes, |byte| byte.wrapping_sub(first) <= last - first)
    }

    pub(super) fn are(bytes: Lanes, byte: u8) -> u32 {
        bits(bytes, |it| it == byte)
    }

    pub(super) fn are_one_of<const N: usize>(bytes: Lanes, ones: [u8; N]) -> u32 {
        bits(bytes, |byte| ones.contains(&byte))
    }

    pub(super) fn are_high(bytes: Lanes) -> u32 {
        bits(bytes, |byte| byte >= 0x80)
    }

    #[inline]
    fn bits(bytes: Lanes, is: impl Fn(u8) -> bool) -> u32 {
        let bits = bytes.iter().enumerate();
        bits.fold(0, |bits, (at, byte)| bits | u32::from(is(*byte)) << at)
    }
}
