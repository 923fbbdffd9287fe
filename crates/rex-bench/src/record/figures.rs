//! Figures as the page shows them.

use std::fmt;

use crate::measure::{Series, Usage};

/// Median, lowest and highest of some figures; all 0 without any.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Spread {
    pub(super) median: f64,
    lowest: f64,
    highest: f64,
}

impl Spread {
    pub(super) fn of(figures: impl Iterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = figures.collect();
        sorted.sort_by(f64::total_cmp);
        let at = |index: usize| sorted.get(index).copied().unwrap_or_default();
        let (low, high) = (sorted.len().saturating_sub(1) / 2, sorted.len() / 2);
        Self {
            median: f64::midpoint(at(low), at(high)),
            lowest: at(0),
            highest: at(sorted.len().saturating_sub(1)),
        }
    }

    /// With a unit; one figure where all agree.
    pub(super) fn show(&self, show: fn(f64) -> String) -> String {
        let (median, lowest, highest) = (show(self.median), show(self.lowest), show(self.highest));
        if lowest == highest {
            median
        } else {
            format!("{median} ({lowest}–{highest})")
        }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.show(|figure| format!("{figure:.2}")))
    }
}

pub(super) fn seconds(seconds: f64) -> String {
    if seconds < 0.1 {
        format!("{:.1} ms", seconds * 1000.0)
    } else {
        format!("{seconds:.2} s")
    }
}

pub(super) fn bytes(bytes: f64) -> String {
    let mebibytes = bytes / (1024.0 * 1024.0);
    if mebibytes < 10.0 {
        format!("{mebibytes:.2} MiB")
    } else {
        format!("{mebibytes:.1} MiB")
    }
}

/// A count with its thousands apart.
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The exponent with which a figure grows from a series to the one ten times as large.
pub(super) fn growth(smaller: &Series, larger: &Series, of: fn(&Usage) -> f64) -> f64 {
    let median = |series: &Series| Spread::of(series.pairs.iter().map(|pair| of(&pair.candidate))).median;
    (median(larger) / median(smaller).max(f64::MIN_POSITIVE)).log10()
}

#[cfg(test)]
mod tests {
    use super::{Spread, bytes, count, seconds};

    #[test]
    fn a_spread_is_the_median_and_the_ends() {
        let spread = Spread::of([3.0, 1.0, 2.0, 10.0].into_iter());
        assert_eq!(spread.show(seconds), "2.50 s (1.00 s–10.00 s)");
        assert_eq!(Spread::of([2.0, 2.0].into_iter()).to_string(), "2.00");
        assert_eq!(Spread::of(std::iter::empty()).to_string(), "0.00");
    }

    #[test]
    fn figures_have_units() {
        assert_eq!(count(72_000), "72,000");
        assert_eq!(count(7), "7");
        assert_eq!(bytes(79_691_776.0), "76.0 MiB");
        assert_eq!(seconds(0.0123), "12.3 ms");
    }
}
