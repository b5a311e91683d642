//! Random numbers and choices for many lanes at once, in loops that compilers turn into vector instructions.

use crate::rng::Rng;

/// Bouts played side by side: as many as a word has bits for their coins, and few enough for the first-level cache.
pub(super) const LANES: usize = 64;
/// One number for each of them.
pub(super) type Lane = [u32; LANES];

/// Generators side by side.
const STREAMS: usize = 16;

/// Random numbers by the handful: sixteen streams of xoshiro128++ (Blackman and Vigna 2021), seeded from one stream.
pub(super) struct Dice {
    words: [[u32; STREAMS]; 4],
    /// The bits drawn last.
    bits: Lane,
    /// For draws that have to be drawn again.
    spare: Rng,
}

impl Dice {
    pub(super) fn new(rng: &mut Rng) -> Self {
        let mut words = [[0; STREAMS]; 4];
        for pair in words.as_flattened_mut().as_chunks_mut::<2>().0 {
            let bits = rng.bits();
            *pair = [bits as u32, (bits >> 32) as u32];
        }
        // All zeros is the one state that a stream must not have.
        words[0].iter_mut().for_each(|word| *word |= 1);
        Self { words, bits: [0; LANES], spare: Rng::stream(rng.bits(), "lanes", 0) }
    }

    /// For each of the first `len` lanes a number below that of the lane, which is less than 32; 0 where that is 0. Exactly
    /// uniform: 16 bits scaled, with rejection (Lemire 2019). A draw that is not `FRESH` takes the other half of the bits of the
    /// last one that was, which must have been for as many lanes. Lanes beyond may be written to.
    #[inline(always)]
    pub(super) fn below<const FRESH: bool>(&mut self, bounds: &Lane, len: usize, drawn: &mut Lane) {
        let [mut a, mut b, mut c, mut d] = self.words;
        let blocks = len.div_ceil(STREAMS);
        let lanes = bounds.as_chunks::<STREAMS>().0.iter().zip(drawn.as_chunks_mut::<STREAMS>().0);
        let lanes = lanes.zip(self.bits.as_chunks_mut::<STREAMS>().0);
        let mut doubtful = [0; STREAMS];
        for ((bounds, drawn), bits) in lanes.take(blocks) {
            for stream in 0..STREAMS {
                if FRESH {
                    bits[stream] = a[stream].wrapping_add(d[stream]).rotate_left(7).wrapping_add(a[stream]);
                    let shifted = b[stream] << 9;
                    c[stream] ^= a[stream];
                    d[stream] ^= b[stream];
                    b[stream] ^= c[stream];
                    a[stream] ^= d[stream];
                    c[stream] ^= shifted;
                    d[stream] = d[stream].rotate_left(11);
                }
                let half = if FRESH { bits[stream] & 0xffff } else { bits[stream] >> 16 };
                let product = half * bounds[stream];
                drawn[stream] = product >> 16;
                doubtful[stream] |= u32::from((product & 0xffff).cast_signed() < bounds[stream].cast_signed());
            }
        }
        if FRESH {
            self.words = [a, b, c, d];
        }
        if doubtful.iter().fold(0, |any, lane| any | lane) != 0 {
            self.redraw::<FRESH>(bounds, &mut drawn[..blocks * STREAMS]);
        }
    }

    /// The rare part of [`below`](Self::below).
    #[cold]
    #[inline(never)]
    fn redraw<const FRESH: bool>(&mut self, bounds: &Lane, drawn: &mut [u32]) {
        for ((drawn, &bound), bits) in drawn.iter_mut().zip(bounds).zip(&self.bits) {
            let half = if FRESH { bits & 0xffff } else { bits >> 16 };
            if bound > 0 && (half * bound) & 0xffff < (1 << 16) % bound {
                *drawn = self.spare.below(bound);
            }
        }
    }
}

/// The member of a set with `rank` members below it, as a bit; nothing of the empty set. `rank` is at most `MOST`.
#[inline(always)]
pub(super) fn isolate<const MOST: u32>(mut set: u32, rank: u32) -> u32 {
    for below in 0..MOST {
        // Takes the lowest member away, or nothing.
        set &= set.wrapping_sub(u32::from(rank.cast_signed() > below.cast_signed()));
    }
    set & set.wrapping_neg()
}
