//! No number, one, or several different ones, in eight bytes: hundreds of thousands are kept at a time.

use rusqlite::types::ValueRef;

/// What has been named so far. The two lowest numbers of 64 bits stand for the other cases and are never numbers here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Few(i64);

impl Default for Few {
    fn default() -> Self {
        Self::NOTHING
    }
}

impl Few {
    /// No number.
    pub(super) const NOTHING: Self = Self(i64::MIN);
    /// At least two different ones, or something that is no number.
    pub(super) const SEVERAL: Self = Self(i64::MIN + 1);

    /// Reads a cell: what is there but is no integer counts as [`Few::SEVERAL`].
    pub(super) fn read(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Null => Self::NOTHING,
            ValueRef::Integer(number) if number > Self::SEVERAL.0 => Self(number),
            _ => Self::SEVERAL,
        }
    }

    /// The number, if it is exactly one.
    pub(super) fn one(self) -> Option<i64> {
        (self.0 > Self::SEVERAL.0).then_some(self.0)
    }

    /// One more place names this number.
    pub(super) fn add(&mut self, number: i64) {
        *self = match *self {
            Self::NOTHING => Self::read(ValueRef::Integer(number)),
            Self(same) if same == number => *self,
            _ => Self::SEVERAL,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_number_makes_several_and_the_same_one_does_not() {
        let named = |numbers: &[i64]| {
            let mut few = Few::default();
            for &number in numbers {
                few.add(number);
            }
            few
        };
        assert_eq!(named(&[]), Few::NOTHING);
        assert_eq!(named(&[7, 7]).one(), Some(7));
        assert_eq!(named(&[7, 8]), Few::SEVERAL);
        assert_eq!(named(&[7, 8, 7]), Few::SEVERAL);
        assert_eq!(named(&[0]).one(), Some(0));
        assert_eq!(named(&[i64::MIN]), Few::SEVERAL);
        assert_eq!(Few::read(ValueRef::Null), Few::NOTHING);
        assert_eq!(Few::read(ValueRef::Real(7.0)), Few::SEVERAL);
    }
}
