//! Seeded chance in whole numbers: the same seed gives the same draws on every machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A stream of draws from one seed. No floating point takes part, so no platform can differ.
#[derive(Clone, Debug)]
pub struct Dice(ChaCha8Rng);

impl Dice {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number below `end`; 0 when `end` is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        // The upper half of a 128-bit product: bias below 2^-40 for every bound used here.
        ((u128::from(self.0.next_u64()) * u128::from(end)) >> 64) as u64
    }

    /// A number from `low` to `high`, both included; `low` when the range is empty.
    pub fn range(&mut self, low: i64, high: i64) -> i64 {
        let span = high.saturating_sub(low).max(0) as u64;
        low.saturating_add(self.below(span.saturating_add(1)) as i64)
    }

    /// True `permille` times in a thousand.
    pub fn chance(&mut self, permille: u32) -> bool {
        self.below(1000) < u64::from(permille)
    }

    /// A random uuid, version 4.
    pub fn uuid(&mut self) -> String {
        let (high, low) = (self.0.next_u64(), self.0.next_u64());
        format!(
            "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
            high >> 32,
            high >> 16 & 0xffff,
            high & 0xfff,
            low >> 48 & 0x3fff | 0x8000,
            low & 0xffff_ffff_ffff
        )
    }

    /// One of `choices`.
    ///
    /// # Panics
    /// If there is none.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        let at = self.below(choices.len() as u64) as usize;
        choices.get(at).expect("a choice needs choices")
    }

    /// An index, each as likely as its weight; the last one when all weights are 0.
    pub fn weighted(&mut self, weights: &[u32]) -> usize {
        let total: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
        let mut left = self.below(total);
        for (at, &weight) in weights.iter().enumerate() {
            if left < u64::from(weight) {
                return at;
            }
            left -= u64::from(weight);
        }
        weights.len().saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::Dice;

    #[test]
    fn a_seed_gives_the_same_draws_everywhere() {
        let mut dice = Dice::new(7);
        let draws: Vec<u64> = (0..6).map(|_| dice.below(1000)).collect();
        assert_eq!(draws, DRAWS);
    }

    const DRAWS: [u64; 6] = [157, 167, 704, 726, 601, 359];

    #[test]
    fn draws_stay_in_their_bounds() {
        let mut dice = Dice::new(1);
        for _ in 0..1000 {
            assert!((-3..=4).contains(&dice.range(-3, 4)));
            assert!(dice.weighted(&[0, 5, 0, 5]) % 2 == 1);
        }
        assert_eq!(dice.range(9, 3), 9);
        assert!(!dice.chance(0));
        assert!(dice.chance(1000));
    }
}
