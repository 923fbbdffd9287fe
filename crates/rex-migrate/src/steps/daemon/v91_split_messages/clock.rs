//! One bot's runs in time: whether its clock can be trusted, and which of its runs was going at a given moment.

/// A run, as far as time goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) number: i64,
    pub(super) started_ms: i64,
    /// [`NO_END`] where it has none.
    pub(super) finished_ms: i64,
}

/// The end of a run that has none.
pub(super) const NO_END: i64 = i64::MAX;

/// What may be asked of a message that a run took in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Claimant {
    pub(super) number: i64,
    /// Taken in by the run that starts next, not by one that is going.
    pub(super) is_attached: bool,
    /// The only run that may have it.
    pub(super) expected: Option<i64>,
}

impl Claimant {
    /// Says whether a run of this message's bot is on the right side of it and is the one expected, if one is.
    pub(super) fn may_be_in(&self, run: i64) -> bool {
        let is_on_side = if self.is_attached {
            run > self.number
        } else {
            run < self.number
        };
        is_on_side && self.expected.is_none_or(|expected| expected == run)
    }
}

impl Run {
    /// Says whether the run was going at that moment; both of its ends count.
    pub(super) fn was_going_at(&self, time_ms: i64) -> bool {
        self.started_ms <= time_ms && time_ms <= self.finished_ms
    }
}

/// All runs of one bot, in number order.
#[derive(Debug)]
pub(super) struct Clock {
    runs: Vec<Run>,
    is_sound: bool,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            runs: Vec::new(),
            is_sound: true,
        }
    }
}

impl Clock {
    /// Adds the run with the next larger number. Without a start nothing can be said of any moment.
    pub(super) fn push(&mut self, number: i64, started_ms: Option<i64>, finished_ms: Option<i64>) {
        let run = Run {
            number,
            started_ms: started_ms.unwrap_or(i64::MIN),
            finished_ms: finished_ms.unwrap_or(NO_END),
        };
        let follows = self
            .runs
            .last()
            .is_none_or(|last| last.finished_ms != NO_END && last.finished_ms <= run.started_ms);
        self.is_sound &= started_ms.is_some() && follows && run.started_ms <= run.finished_ms;
        self.runs.push(run);
    }

    /// Says whether the bot's times are in order and nothing known contradicts them.
    pub(super) fn is_sound(&self) -> bool {
        self.is_sound
    }

    /// What its runs take.
    pub(super) fn bytes(&self) -> usize {
        self.runs.len() * size_of::<Run>()
    }

    /// Something known contradicts the times.
    pub(super) fn distrust(&mut self) {
        self.is_sound = false;
    }

    /// The run of that number.
    pub(super) fn run(&self, number: i64) -> Option<&Run> {
        let place = self.runs.binary_search_by_key(&number, |run| run.number).ok()?;
        self.runs.get(place)
    }

    /// Every run that was going at that moment and may have taken the message in, in number order; none in a bot whose
    /// clock is not sound. Where it is sound, starts and ends rise with the numbers, so they are neighbours.
    pub(super) fn candidates(&self, claimant: &Claimant, time_ms: i64) -> &[Run] {
        if !self.is_sound {
            return &[];
        }
        let mut from = self.runs.partition_point(|run| run.finished_ms < time_ms);
        let mut to = self.runs.partition_point(|run| run.started_ms <= time_ms);
        if claimant.is_attached {
            from = from.max(self.runs.partition_point(|run| run.number <= claimant.number));
        } else {
            to = to.min(self.runs.partition_point(|run| run.number < claimant.number));
        }
        let going = self.runs.get(from..to).unwrap_or_default();
        let Some(expected) = claimant.expected else {
            return going;
        };
        match going.binary_search_by_key(&expected, |run| run.number) {
            Ok(place) => going.get(place..=place).unwrap_or_default(),
            Err(_) => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Times = (i64, Option<i64>, Option<i64>);

    fn clock(runs: &[Times]) -> Clock {
        let mut clock = Clock::default();
        for &(number, started, finished) in runs {
            clock.push(number, started, finished);
        }
        clock
    }

    #[test]
    fn a_clock_is_sound_while_its_runs_follow_one_another() {
        let cases: [(&[Times], bool); 12] = [
            (&[], true),
            (&[(1, Some(0), Some(0))], true),
            (
                &[
                    (1, Some(1), Some(2)),
                    (2, Some(2), Some(2)),
                    (3, Some(2), Some(5)),
                ],
                true,
            ),
            (&[(1, Some(1), Some(2)), (2, Some(3), None)], true),
            (&[(1, Some(1), None), (2, Some(3), Some(4))], false),
            (&[(1, Some(1), None), (2, Some(i64::MAX), None)], false),
            (&[(1, None, Some(2))], false),
            (&[(1, Some(5), Some(4))], false),
            (&[(1, Some(1), Some(4)), (2, Some(3), Some(9))], false),
            (&[(1, Some(9), Some(9)), (2, Some(1), Some(2))], false),
            (&[(1, Some(-5), Some(-4)), (2, Some(-4), Some(0))], true),
            (&[(1, Some(1), Some(2)), (2, None, None)], false),
        ];
        for (runs, sound) in cases {
            assert_eq!(clock(runs).is_sound(), sound, "{runs:?}");
        }
    }

    #[test]
    fn candidates_are_the_runs_going_then_that_fit() {
        let runs = [
            (1, Some(0), Some(10)),
            (3, Some(10), Some(10)),
            (5, Some(10), Some(20)),
            (9, Some(30), None),
        ];
        let steer = |number| Claimant {
            number,
            is_attached: false,
            expected: None,
        };
        let strict = |number, expected| Claimant {
            expected: Some(expected),
            ..steer(number)
        };
        let attached = |number| Claimant {
            is_attached: true,
            ..steer(number)
        };
        let cases: [(Claimant, i64, &[i64]); 15] = [
            (steer(8), 5, &[1]),
            (steer(8), 10, &[1, 3, 5]),
            (steer(4), 10, &[1, 3]),
            (steer(2), 10, &[1]),
            (steer(1), 10, &[]),
            (steer(8), 25, &[]),
            (steer(8), 40, &[]),
            (steer(10), 40, &[9]),
            (steer(10), -1, &[]),
            (strict(8, 3), 10, &[3]),
            (strict(8, 9), 10, &[]),
            (strict(8, 4), 10, &[]),
            (attached(2), 10, &[3, 5]),
            (attached(4), 10, &[5]),
            (attached(9), 40, &[]),
        ];
        for (claimant, time_ms, expected) in cases {
            let found: Vec<i64> = clock(&runs)
                .candidates(&claimant, time_ms)
                .iter()
                .map(|run| run.number)
                .collect();
            assert_eq!(found, expected, "{claimant:?} at {time_ms}");
        }
        let mut distrusted = clock(&runs);
        distrusted.distrust();
        assert_eq!(distrusted.candidates(&steer(8), 5), []);
    }
}
