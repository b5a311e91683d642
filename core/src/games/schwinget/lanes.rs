//! Random numbers and choices for many lanes at once, in loops that compilers turn into vector instructions.

use crate::rng::Rng;

/// Bouts played side by side.
pub(super) const LANES: usize = 32;
/// One number for each of them.
pub(super) type Lane = [u32; LANES];

/// Generators side by side.
const STREAMS: usize = 16;

/// Random numbers by the handful: sixteen streams of xoshiro128++ (Blackman and Vigna 2021), seeded from one stream.
pub(super) struct Dice {
    words: [[u32; STREAMS]; 4],
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
        Self { words, spare: Rng::stream(rng.bits(), "lanes", 0) }
    }

    /// Random bits for the first lanes.
    #[inline(always)]
    fn fill(&mut self, lanes: &mut [u32]) {
        let [a, b, c, d] = &mut self.words;
        for lanes in lanes.chunks_mut(STREAMS) {
            for (stream, lane) in lanes.iter_mut().enumerate() {
                *lane = a[stream].wrapping_add(d[stream]).rotate_left(7).wrapping_add(a[stream]);
                let shifted = b[stream] << 9;
                c[stream] ^= a[stream];
                d[stream] ^= b[stream];
                b[stream] ^= c[stream];
                a[stream] ^= d[stream];
                c[stream] ^= shifted;
                d[stream] = d[stream].rotate_left(11);
            }
        }
    }

    /// For each of the first `len` lanes a number below that of the lane, exactly uniform (Lemire 2019, with rejection); 0 where
    /// that is 0.
    #[inline(never)]
    pub(super) fn below(&mut self, bounds: &Lane, len: usize) -> Lane {
        let mut drawn = [0; LANES];
        self.fill(&mut drawn[..len]);
        let mut doubtful = 0;
        let mut low = [0; LANES];
        for lane in 0..len.min(LANES) {
            let product = u64::from(drawn[lane]) * u64::from(bounds[lane]);
            drawn[lane] = (product >> 32) as u32;
            low[lane] = product as u32;
            doubtful |= u32::from(low[lane] < bounds[lane]);
        }
        if doubtful != 0 {
            self.redraw(bounds, &mut drawn[..len], &low);
        }
        drawn
    }

    /// The rare part of [`below`](Self::below).
    #[cold]
    #[inline(never)]
    fn redraw(&mut self, bounds: &Lane, drawn: &mut [u32], low: &Lane) {
        for (lane, drawn) in drawn.iter_mut().enumerate() {
            let bound = bounds[lane];
            if bound > 0 && low[lane] < bound.wrapping_neg() % bound {
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
        set &= set.wrapping_add(if rank > below { u32::MAX } else { 0 });
    }
    set & set.wrapping_neg()
}
