//! Finds quotes, backslashes and control characters in blocks of bytes with SIMD instructions.
//!
//! Blocks have 16 or 32 bytes, or 8 bytes in an integer on processors without a supported
//! instruction set (SSE2, AVX2, NEON).
//!
//! This is the only module with `unsafe` code, for two reasons. Loads read exactly the array they
//! are given. Functions that need AVX2 are called only through a [`Simd`] that was made after the
//! processor was asked. Tests compare the result for every byte value at every position of a block
//! with the byte itself.

#![allow(unsafe_code)]

/// What can be said of a block of bytes.
pub(crate) trait Block {
    /// How many bytes it has.
    const WIDTH: usize;

    /// Marks the bytes that end a run of plain text: the lowest bit stands for the first byte.
    /// Only the lowest mark counts.
    fn stops(bytes: &[u8]) -> Option<u64>;
}

/// How many bytes are examined together where there are many escapes.
pub(crate) const WINDOW: usize = 64;

/// A block that can say of each of its bytes what it is. Windows are classified block by block.
pub(crate) trait Wide {
    /// How many bytes it has.
    const BYTES: usize;

    /// Which bytes are quotes or control characters, and which are backslashes.
    fn marks(bytes: &[u8]) -> Option<Marks>;

    /// Which bytes may stand behind a backslash and need nothing behind them: `u` is not one.
    fn escapable(bytes: &[u8]) -> Option<u64>;

    /// [`Self::marks`] of a window.
    #[inline(always)]
    fn marks_of(window: &[u8; WINDOW]) -> Marks {
        let mut all = Marks {
            ends: 0,
            backslashes: 0,
        };
        for (at, block) in window.chunks_exact(Self::BYTES).enumerate() {
            if let Some(marks) = Self::marks(block) {
                all.ends |= marks.ends << (at * Self::BYTES);
                all.backslashes |= marks.backslashes << (at * Self::BYTES);
            }
        }
        all
    }

    /// [`Self::escapable`] of a window.
    #[inline(always)]
    fn escapable_of(window: &[u8; WINDOW]) -> u64 {
        let blocks = window.chunks_exact(Self::BYTES).enumerate();
        blocks.fold(0, |all, (at, block)| {
            all | Self::escapable(block).unwrap_or(0) << (at * Self::BYTES)
        })
    }
}

/// What stands in a block or a window: the lowest bit is for its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marks {
    /// Quotes and control characters.
    pub(crate) ends: u64,
    /// Backslashes.
    pub(crate) backslashes: u64,
}

/// What may stand behind a backslash, looked up by the two halves of a byte: of each the bits are
/// looked up, and where both have one in common it is such a byte. The lower half first.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const ESCAPABLE: [[u8; 16]; 2] = {
    // A bit for each upper half that there is: `"/`, `\\`, `bfn`, `rt`.
    let (mut low, mut high) = ([0; 16], [0; 16]);
    let bytes = b"\"/\\bfnrt";
    let bits = [1, 1, 2, 4, 4, 4, 8, 8];
    let mut at = 0;
    while at < bytes.len() {
        low[(bytes[at] & 0xf) as usize] |= bits[at];
        high[(bytes[at] >> 4) as usize] |= bits[at];
        at += 1;
    }
    [low, high]
};

/// Eight bytes in a word, on any processor.
pub(crate) struct Portable;

impl Block for Portable {
    const WIDTH: usize = 8;

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

#[cfg(target_arch = "x86_64")]
impl Wide for Sse2 {
    const BYTES: usize = 16;

    #[inline(always)]
    fn marks(bytes: &[u8]) -> Option<Marks> {
        use std::arch::x86_64::*;
        let block: &[u8; 16] = bytes.first_chunk()?;
        // SAFETY: as in `stops`.
        let (ends, backslashes) = unsafe {
            let block = _mm_loadu_si128(block.as_ptr().cast());
            let quote = _mm_cmpeq_epi8(block, _mm_set1_epi8(b'"' as i8));
            let control = _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block);
            let backslash = _mm_cmpeq_epi8(block, _mm_set1_epi8(b'\\' as i8));
            let ends = _mm_movemask_epi8(_mm_or_si128(quote, control));
            (ends, _mm_movemask_epi8(backslash))
        };
        Some(Marks {
            ends: u64::from(ends as u32),
            backslashes: u64::from(backslashes as u32),
        })
    }

    #[inline(always)]
    fn escapable(bytes: &[u8]) -> Option<u64> {
        use std::arch::x86_64::*;
        let block: &[u8; 16] = bytes.first_chunk()?;
        // SAFETY: as in `stops`.
        let found = unsafe {
            let block = _mm_loadu_si128(block.as_ptr().cast());
            let mut found = _mm_setzero_si128();
            for byte in *b"\"/\\bfnrt" {
                let equal = _mm_cmpeq_epi8(block, _mm_set1_epi8(byte as i8));
                found = _mm_or_si128(found, equal);
            }
            _mm_movemask_epi8(found)
        };
        Some(u64::from(found as u32))
    }
}

/// Thirty-two bytes, where the processor has AVX2.
#[cfg(target_arch = "x86_64")]
pub(crate) struct Avx2;

#[cfg(target_arch = "x86_64")]
impl Wide for Avx2 {
    const BYTES: usize = 32;

    #[inline(always)]
    fn marks(bytes: &[u8]) -> Option<Marks> {
        use std::arch::x86_64::*;
        let block: &[u8; 32] = bytes.first_chunk()?;
        // SAFETY: the load reads the 32 bytes of the array, and needs no alignment. This is
        // reached only through `with_avx2`, whose callers have asked the processor.
        let (ends, backslashes) = unsafe {
            let block = _mm256_loadu_si256(block.as_ptr().cast());
            let quote = _mm256_cmpeq_epi8(block, _mm256_set1_epi8(b'"' as i8));
            let control = _mm256_cmpeq_epi8(_mm256_min_epu8(block, _mm256_set1_epi8(0x1f)), block);
            let backslash = _mm256_cmpeq_epi8(block, _mm256_set1_epi8(b'\\' as i8));
            let ends = _mm256_movemask_epi8(_mm256_or_si256(quote, control));
            (ends, _mm256_movemask_epi8(backslash))
        };
        Some(Marks {
            ends: u64::from(ends as u32),
            backslashes: u64::from(backslashes as u32),
        })
    }

    #[inline(always)]
    fn escapable(bytes: &[u8]) -> Option<u64> {
        use std::arch::x86_64::*;
        let block: &[u8; 32] = bytes.first_chunk()?;
        let [low, high] = &ESCAPABLE;
        // SAFETY: as in `marks`; the tables have the 16 bytes that are read of each.
        let other = unsafe {
            let low = _mm256_broadcastsi128_si256(_mm_loadu_si128(low.as_ptr().cast()));
            let high = _mm256_broadcastsi128_si256(_mm_loadu_si128(high.as_ptr().cast()));
            let block = _mm256_loadu_si256(block.as_ptr().cast());
            let half = _mm256_and_si256(_mm256_srli_epi16(block, 4), _mm256_set1_epi8(0xf));
            // A byte above 0x7f looks up nothing.
            let low = _mm256_shuffle_epi8(low, block);
            let common = _mm256_and_si256(low, _mm256_shuffle_epi8(high, half));
            _mm256_movemask_epi8(_mm256_cmpeq_epi8(common, _mm256_setzero_si256()))
        };
        Some(u64::from(!(other as u32)))
    }
}

/// Sixteen bytes; every aarch64 processor has this.
#[cfg(target_arch = "aarch64")]
pub(crate) struct Neon;

#[cfg(target_arch = "aarch64")]
impl Neon {
    /// One bit for each byte whose bits are all set.
    #[inline(always)]
    fn bits(bytes: std::arch::aarch64::uint8x16_t) -> u64 {
        use std::arch::aarch64::*;
        const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
        // SAFETY: the load reads the 16 bytes of the array. Every processor this is compiled for
        // has NEON.
        let (low, high) = unsafe {
            let bits = vandq_u8(bytes, vld1q_u8(BITS.as_ptr()));
            (vaddv_u8(vget_low_u8(bits)), vaddv_u8(vget_high_u8(bits)))
        };
        u64::from(low) | u64::from(high) << 8
    }
}

#[cfg(target_arch = "aarch64")]
impl Block for Neon {
    const WIDTH: usize = 16;

    #[inline(always)]
    fn stops(bytes: &[u8]) -> Option<u64> {
        use std::arch::aarch64::*;
        let block: &[u8; 16] = bytes.first_chunk()?;
        // SAFETY: the load reads the 16 bytes of the array. Every processor this is compiled for
        // has NEON.
        let stops = unsafe {
            let block = vld1q_u8(block.as_ptr());
            let quote = vceqq_u8(block, vdupq_n_u8(b'"'));
            let backslash = vceqq_u8(block, vdupq_n_u8(b'\\'));
            let control = vcltq_u8(block, vdupq_n_u8(0x20));
            vorrq_u8(vorrq_u8(quote, backslash), control)
        };
        Some(Self::bits(stops))
    }
}

#[cfg(target_arch = "aarch64")]
impl Wide for Neon {
    const BYTES: usize = 16;

    #[inline(always)]
    fn marks(bytes: &[u8]) -> Option<Marks> {
        use std::arch::aarch64::*;
        let block: &[u8; 16] = bytes.first_chunk()?;
        // SAFETY: as in `stops`.
        let (ends, backslashes) = unsafe {
            let block = vld1q_u8(block.as_ptr());
            let quote = vceqq_u8(block, vdupq_n_u8(b'"'));
            let control = vcltq_u8(block, vdupq_n_u8(0x20));
            let backslashes = vceqq_u8(block, vdupq_n_u8(b'\\'));
            (vorrq_u8(quote, control), backslashes)
        };
        Some(Marks {
            ends: Self::bits(ends),
            backslashes: Self::bits(backslashes),
        })
    }

    #[inline(always)]
    fn escapable(bytes: &[u8]) -> Option<u64> {
        use std::arch::aarch64::*;
        let block: &[u8; 16] = bytes.first_chunk()?;
        let [low, high] = &ESCAPABLE;
        // SAFETY: as in `stops`; the tables have the 16 bytes that are read of each.
        let found = unsafe {
            let (low, high) = (vld1q_u8(low.as_ptr()), vld1q_u8(high.as_ptr()));
            let block = vld1q_u8(block.as_ptr());
            let low = vqtbl1q_u8(low, vandq_u8(block, vdupq_n_u8(0xf)));
            let high = vqtbl1q_u8(high, vshrq_n_u8(block, 4));
            vtstq_u8(low, high)
        };
        Some(Self::bits(found))
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
pub(crate) struct Simd(Width);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    Portable,
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Simd {
    pub(crate) const PORTABLE: Simd = Simd(Width::Portable);

    /// What this processor has, the widest last.
    pub(crate) fn all() -> Vec<Simd> {
        #[allow(unused_mut)]
        let mut all = vec![Simd::PORTABLE];
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        all.push(Simd(Width::Baseline));
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2")
            && std::arch::is_x86_feature_detected!("bmi1")
            && std::arch::is_x86_feature_detected!("bmi2")
        {
            all.push(Simd(Width::Avx2));
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

    /// Whether blocks narrower than its own may be examined first.
    #[inline(always)]
    pub(crate) fn has_baseline(self) -> bool {
        self.0 != Width::Portable
    }

    /// Runs a job with these blocks.
    #[inline(always)]
    pub(crate) fn run<J: Job>(self, job: J) -> J::Out {
        match self.0 {
            Width::Portable => job.narrow::<Portable>(),
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            Width::Baseline => with_baseline(job),
            // SAFETY: such a value is made only where the processor has said that it has AVX2 and
            // the instructions for bits.
            #[cfg(target_arch = "x86_64")]
            Width::Avx2 => unsafe { with_avx2(job) },
        }
    }
}

/// Something that is done with blocks.
pub(crate) trait Job {
    /// What comes of it.
    type Out;

    /// Does it with blocks that know about whole windows. Has to be inlined, so that it may use
    /// the instructions.
    fn wide<B: Wide>(self) -> Self::Out;

    /// Does it block by block.
    fn narrow<B: Block>(self) -> Self::Out;
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(never)]
fn with_baseline<J: Job>(job: J) -> J::Out {
    job.wide::<Baseline>()
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn with_avx2<J: Job>(job: J) -> J::Out {
    job.wide::<Avx2>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the lowest mark of the first block is that of the first byte that ends plain text.
    fn assert_lowest<B: Block>(window: &[u8; WINDOW]) {
        let marks = B::stops(window).expect("enough bytes");
        let found = (marks != 0).then(|| marks.trailing_zeros() as usize);
        let is_stop = |byte: &u8| matches!(byte, b'"' | b'\\' | ..0x20);
        let expected = window[..B::WIDTH].iter().position(is_stop);
        assert_eq!(found, expected, "{} {window:?}", B::WIDTH);
    }

    /// All marks of a window, where they are classified.
    struct All<'a>(&'a [u8; WINDOW]);

    impl Job for All<'_> {
        type Out = Option<(Marks, u64)>;

        #[inline(always)]
        fn wide<B: Wide>(self) -> Self::Out {
            Some((B::marks_of(self.0), B::escapable_of(self.0)))
        }

        #[inline(always)]
        fn narrow<B: Block>(self) -> Self::Out {
            None
        }
    }

    /// The places of a window where something holds, as bits.
    fn places(window: &[u8; WINDOW], holds: impl Fn(u8) -> bool) -> u64 {
        let places = (0..WINDOW).filter(|at| holds(window[*at]));
        places.fold(0, |bits, at| bits | 1 << at)
    }

    /// Whether all marks of a window are right, byte by byte.
    fn assert_all(simd: Simd, window: &[u8; WINDOW]) {
        let Some((marks, escapable)) = simd.run(All(window)) else {
            return;
        };
        let expected = Marks {
            ends: places(window, |byte| matches!(byte, b'"' | ..0x20)),
            backslashes: places(window, |byte| byte == b'\\'),
        };
        assert_eq!(marks, expected, "{} {window:?}", simd.name());
        let expected = places(window, |byte| b"\"\\/bfnrt".contains(&byte));
        assert_eq!(escapable, expected, "{} {window:?}", simd.name());
    }

    /// Whether every mark of a window is right, byte by byte.
    fn assert_marks(window: &[u8; WINDOW]) {
        assert_lowest::<Portable>(window);
        assert_lowest::<Baseline>(window);
        for simd in Simd::all() {
            assert_all(simd, window);
        }
    }

    #[test]
    fn every_byte_is_classified_at_every_position() {
        for place in 0..WINDOW {
            for byte in 0..=u8::MAX {
                // Beside a byte that is nearly a stop, so that borrows show.
                for beside in [b'a', b'"' + 1, b'\\' + 1, 0x20, 0x7f, 0x80, 0xff] {
                    let mut window = [beside; WINDOW];
                    window[place] = byte;
                    assert_marks(&window);
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
    fn every_pair_of_bytes_is_classified() {
        for first in 0..=u8::MAX {
            for second in 0..=u8::MAX {
                let mut window = [b'a'; WINDOW];
                (window[3], window[4], window[20]) = (first, second, first);
                assert_marks(&window);
            }
        }
    }
}
