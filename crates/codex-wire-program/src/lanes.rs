//! Blocks of bytes, compared all at once with what ends a run of plain text in a JSON string:
//! quotes, backslashes and control characters.
//!
//! This is the only module with `unsafe` code, of two sorts. Loads read exactly the array they
//! are given. Functions that need AVX2 are called only through a [`Lanes`] that was made after
//! the processor was asked. A test compares every block with the portable one, exhaustively for
//! single bytes at every place.

#![allow(unsafe_code)]

/// What can be said of a block of bytes.
pub(crate) trait Block {
    /// How many bytes it has.
    const WIDTH: usize;

    /// Whether every mark is right. Otherwise only the lowest one is.
    const EXACT: bool;

    /// Marks the bytes that end a run of plain text: the lowest bit stands for the first byte.
    fn stops(bytes: &[u8]) -> Option<u64>;
}

/// Eight bytes in a word, on any processor.
pub(crate) struct Portable;

impl Block for Portable {
    const WIDTH: usize = 8;
    const EXACT: bool = false;

    #[inline(always)]
    fn stops(bytes: &[u8]) -> Option<u64> {
        const EACH: u64 = 0x0101_0101_0101_0101;
        let word = u64::from_le_bytes(*bytes.first_chunk()?);
        let below = |word: u64, limit: u8| word.wrapping_sub(EACH * u64::from(limit)) & !word;
        let equal = |byte: u8| below(word ^ (EACH * u64::from(byte)), 1);
        let marks = (equal(b'"') | equal(b'\\') | below(word, 0x20)) & (EACH * 0x80);
        // One bit per byte: the lowest mark is the one that counts.
        let lowest = marks.trailing_zeros() / 8;
        Some(if marks == 0 { 0 } else { 1 << lowest })
    }
}

/// The widest block that every processor of this kind has.
#[cfg(target_arch = "x86_64")]
pub(crate) type Baseline = Sse2;
/// The widest block that every processor of this kind has.
#[cfg(target_arch = "aarch64")]
pub(crate) type Baseline = Neon;
/// The widest block that every processor of this kind has.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) type Baseline = Portable;

/// Sixteen bytes; every x86_64 processor has this.
#[cfg(target_arch = "x86_64")]
pub(crate) struct Sse2;

#[cfg(target_arch = "x86_64")]
impl Block for Sse2 {
    const WIDTH: usize = 16;
    const EXACT: bool = true;

    #[inline(always)]
    fn stops(bytes: &[u8]) -> Option<u64> {
        use std::arch::x86_64::*;
        let block: &[u8; 16] = bytes.first_chunk()?;
        // SAFETY: the load reads the 16 bytes of the array, and needs no alignment. Every
        // processor this is compiled for has SSE2.
        let marks = unsafe {
            let block = _mm_loadu_si128(block.as_ptr().cast());
            let quote = _mm_cmpeq_epi8(block, _mm_set1_epi8(b'"' as i8));
            let backslash = _mm_cmpeq_epi8(block, _mm_set1_epi8(b'\\' as i8));
            let control = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block);
            _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), control))
        };
        Some(u64::from(marks as u32))
    }
}

/// Thirty-two bytes, where the processor has AVX2.
#[cfg(target_arch = "x86_64")]
pub(crate) struct Avx2;

#[cfg(target_arch = "x86_64")]
impl Block for Avx2 {
    const WIDTH: usize = 32;
    const EXACT: bool = true;

    #[inline(always)]
    fn stops(bytes: &[u8]) -> Option<u64> {
        use std::arch::x86_64::*;
        let block: &[u8; 32] = bytes.first_chunk()?;
        // SAFETY: the load reads the 32 bytes of the array, and needs no alignment. This is
        // reached only through `with_avx2`, whose callers have asked the processor.
        let marks = unsafe {
            let block = _mm256_loadu_si256(block.as_ptr().cast());
            let quote = _mm256_cmpeq_epi8(block, _mm256_set1_epi8(b'"' as i8));
            let backslash = _mm256_cmpeq_epi8(block, _mm256_set1_epi8(b'\\' as i8));
            let control = _mm256_cmpeq_epi8(_mm256_min_epu8(block, _mm256_set1_epi8(0x1f)), block);
            _mm256_movemask_epi8(_mm256_or_si256(_mm256_or_si256(quote, backslash), control))
        };
        Some(u64::from(marks as u32))
    }
}

/// Sixteen bytes; every aarch64 processor has this.
#[cfg(target_arch = "aarch64")]
pub(crate) struct Neon;

#[cfg(target_arch = "aarch64")]
impl Block for Neon {
    const WIDTH: usize = 16;
    const EXACT: bool = true;

    #[inline(always)]
    fn stops(bytes: &[u8]) -> Option<u64> {
        use std::arch::aarch64::*;
        const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
        let block: &[u8; 16] = bytes.first_chunk()?;
        // SAFETY: the loads read the 16 bytes of the arrays. Every processor this is compiled
        // for has NEON.
        let (low, high) = unsafe {
            let block = vld1q_u8(block.as_ptr());
            let quote = vceqq_u8(block, vdupq_n_u8(b'"'));
            let backslash = vceqq_u8(block, vdupq_n_u8(b'\\'));
            let control = vcltq_u8(block, vdupq_n_u8(0x20));
            let stops = vorrq_u8(vorrq_u8(quote, backslash), control);
            let bits = vandq_u8(stops, vld1q_u8(BITS.as_ptr()));
            (vaddv_u8(vget_low_u8(bits)), vaddv_u8(vget_high_u8(bits)))
        };
        Some(u64::from(low) | u64::from(high) << 8)
    }
}

/// How many bytes of a word are compared at once.
pub(crate) const HEAD: usize = 32;

/// Whether two blocks are the same where `bits` says so: the lowest bit stands for the first
/// byte. The bits that are set are the lowest ones.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn same(one: &[u8; HEAD], other: &[u8; HEAD], bits: u32) -> bool {
    use std::arch::x86_64::*;
    // SAFETY: the loads read the two halves of the arrays, and need no alignment. Every
    // processor this is compiled for has SSE2.
    let equal = unsafe {
        let (one, other): (*const __m128i, *const __m128i) =
            (one.as_ptr().cast(), other.as_ptr().cast());
        let low = _mm_cmpeq_epi8(_mm_loadu_si128(one), _mm_loadu_si128(other));
        let high = _mm_cmpeq_epi8(_mm_loadu_si128(one.add(1)), _mm_loadu_si128(other.add(1)));
        _mm_movemask_epi8(low) as u32 | (_mm_movemask_epi8(high) as u32) << 16
    };
    equal & bits == bits
}

/// Whether two blocks are the same where `bits` says so: the lowest bit stands for the first
/// byte. The bits that are set are the lowest ones.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn same(one: &[u8; HEAD], other: &[u8; HEAD], bits: u32) -> bool {
    same_portable(one, other, bits)
}

#[cfg(any(test, not(target_arch = "x86_64")))]
#[inline(always)]
fn same_portable(one: &[u8; HEAD], other: &[u8; HEAD], bits: u32) -> bool {
    let word = |block: &[u8; HEAD], at: usize| {
        u64::from_le_bytes(std::array::from_fn(|byte| block[at * 8 + byte]))
    };
    let differs = (0..HEAD / 8).fold(0, |differs, at| {
        let meant = match (bits >> (at * 8)) as u8 {
            0xff => u64::MAX,
            some => (1 << (8 * some.trailing_ones())) - 1,
        };
        differs | (word(one, at) ^ word(other, at)) & meant
    });
    differs == 0
}

/// Which blocks this processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lanes(Width);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    Portable,
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Lanes {
    pub(crate) const PORTABLE: Lanes = Lanes(Width::Portable);

    /// What this processor has, the widest last.
    pub(crate) fn all() -> Vec<Lanes> {
        #[allow(unused_mut)]
        let mut all = vec![Lanes::PORTABLE];
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        all.push(Lanes(Width::Baseline));
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            all.push(Lanes(Width::Avx2));
        }
        all
    }

    /// The name of the instructions.
    pub(crate) fn name(self) -> &'static str {
        match self.0 {
            Width::Portable => "portable",
            #[cfg(target_arch = "aarch64")]
            Width::Baseline => "NEON",
            #[cfg(target_arch = "x86_64")]
            Width::Baseline => "SSE2",
            #[cfg(target_arch = "x86_64")]
            Width::Avx2 => "AVX2",
        }
    }

    /// Whether blocks narrower than its own may be looked at first.
    #[inline(always)]
    pub(crate) fn has_baseline(self) -> bool {
        self.0 != Width::Portable
    }

    /// Runs a job with these blocks.
    #[inline(always)]
    pub(crate) fn run<J: Job>(self, job: J) -> J::Out {
        match self.0 {
            Width::Portable => with_portable(job),
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            Width::Baseline => with_baseline(job),
            // SAFETY: such a value is made only where the processor has said that it has AVX2.
            #[cfg(target_arch = "x86_64")]
            Width::Avx2 => unsafe { with_avx2(job) },
        }
    }
}

/// Something that is done with blocks.
pub(crate) trait Job {
    /// What comes of it.
    type Out;

    /// Does it. Has to be inlined, so that it may use the instructions.
    fn run<B: Block>(self) -> Self::Out;
}

#[inline(never)]
fn with_portable<J: Job>(job: J) -> J::Out {
    job.run::<Portable>()
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(never)]
fn with_baseline<J: Job>(job: J) -> J::Out {
    job.run::<Baseline>()
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn with_avx2<J: Job>(job: J) -> J::Out {
    job.run::<Avx2>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lowest mark of the first `WIDTH` bytes.
    struct Lowest<'a>(&'a [u8]);

    impl Job for Lowest<'_> {
        type Out = (usize, Option<u32>);

        #[inline(always)]
        fn run<B: Block>(self) -> Self::Out {
            let marks = B::stops(self.0).expect("enough bytes");
            (B::WIDTH, (marks != 0).then(|| marks.trailing_zeros()))
        }
    }

    /// All marks, where they are right.
    struct All<'a>(&'a [u8]);

    impl Job for All<'_> {
        type Out = Option<u64>;

        #[inline(always)]
        fn run<B: Block>(self) -> Self::Out {
            B::stops(self.0).filter(|_| B::EXACT)
        }
    }

    fn is_stop(byte: u8) -> bool {
        matches!(byte, b'"' | b'\\' | ..0x20)
    }

    #[test]
    fn every_byte_at_every_place_is_told_alike() {
        for lanes in Lanes::all() {
            for place in 0..32 {
                for byte in 0..=u8::MAX {
                    // Beside a byte that is nearly a stop, so that borrows show.
                    for beside in [b'a', b'"' + 1, b'\\' + 1, 0x20, 0x7f, 0x80, 0xff] {
                        let mut block = [beside; 32];
                        block[place] = byte;
                        let (width, found) = lanes.run(Lowest(&block));
                        let expected = block[..width].iter().position(|b| is_stop(*b));
                        let name = lanes.name();
                        assert_eq!(
                            found,
                            expected.map(|e| e as u32),
                            "{name} {byte} at {place}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn blocks_are_the_same_as_far_as_is_asked() {
        let one: [u8; HEAD] = std::array::from_fn(|at| at as u8 * 7);
        for place in 0..HEAD {
            let mut other = one;
            other[place] ^= 0x80;
            for length in 0..=HEAD {
                let bits = (u64::from(u32::MAX) >> (HEAD - length)) as u32;
                let expected = one[..length] == other[..length];
                assert_eq!(same(&one, &other, bits), expected, "{place} {length}");
                assert_eq!(
                    same_portable(&one, &other, bits),
                    expected,
                    "{place} {length}"
                );
            }
        }
    }

    #[test]
    fn every_pair_of_bytes_is_told_alike() {
        for lanes in Lanes::all() {
            for first in 0..=u8::MAX {
                for second in 0..=u8::MAX {
                    let mut block = [b'a'; 32];
                    (block[3], block[4], block[20]) = (first, second, first);
                    if let Some(marks) = lanes.run(All(&block)) {
                        let (width, _) = lanes.run(Lowest(&block));
                        let expected = (0..width)
                            .filter(|at| is_stop(block[*at]))
                            .fold(0, |marks, at| marks | 1 << at);
                        assert_eq!(marks, expected, "{} {first} {second}", lanes.name());
                    }
                    let (_, found) = lanes.run(Lowest(&block));
                    let expected = block.iter().position(|b| is_stop(*b));
                    let narrow = expected.filter(|at| *at < 8);
                    let found = found.map(|f| f as usize).filter(|at| *at < 8);
                    assert_eq!(found, narrow, "{} {first} {second}", lanes.name());
                }
            }
        }
    }
}
