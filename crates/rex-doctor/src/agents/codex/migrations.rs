//! The migrations of the client's SQLite files, and what the client says of a file whose migrations are not its own.

use super::store::Migration;

/// The migrations of one file.
#[derive(Debug)]
pub(super) struct Known {
    /// The first six bytes of each migration's SHA-384, from number 1 on.
    checksums: &'static [u64],
}

/// The state database's.
pub(super) const STATE: Known = Known {
    checksums: STATE_SUMS,
};

/// Those of the projection of the logs.
pub(super) const HISTORY: Known = Known {
    checksums: HISTORY_SUMS,
};

/// Those of the goals, the memories and the queue. The client does without its telemetry.
pub(super) fn of_side(name: &str) -> Option<&'static Known> {
    const GOALS: Known = Known {
        checksums: &[0x8ce6_2802_44a0, 0xf3ff_7de2_fd89],
    };
    const MEMORIES: Known = Known {
        checksums: &[0xa1af_50da_5077, 0x18f0_a8dd_7fe9],
    };
    const QUEUE: Known = Known {
        checksums: &[0xcea1_13c9_a74f, 0x983a_2b17_b454],
    };
    match name {
        "goals" => Some(&GOALS),
        "memories" => Some(&MEMORIES),
        "queue" => Some(&QUEUE),
        _ => None,
    }
}

#[rustfmt::skip]
const STATE_SUMS: &[u64] = &[
    0x627e_f191_64c9, 0x521b_72cb_c04c, 0xe58a_2862_bdb6, 0x8adc_2513_66e4, 0x1ac6_4f85_e083,
    0xa203_fc4b_597e, 0x7e35_a464_df6d, 0xaa3f_287f_7a44, 0x8b46_9360_777e, 0x8ada_f136_5f8e,
    0x31ec_ecbd_07f0, 0x0012_a213_ed25, 0x0552_6a09_00a8, 0x4d2f_bb24_42c5, 0x0eec_e6db_59c9,
    0x4768_f743_e981, 0x4cbd_b2ed_febf, 0xa436_3003_bc44, 0x3884_c02f_080f, 0x0767_3f48_59f7,
    0xea1a_ebe4_f5a1, 0x160f_e01b_757d, 0xe6c7_48a9_a182, 0xe92a_a526_b1f3, 0xd6fb_51d7_9941,
    0x6c62_a325_d3b9, 0xd84d_ca6a_039e, 0xef44_adaa_291e, 0xe9ec_76f9_7dbf, 0x80c1_cdac_d452,
    0x9436_75a9_b3dc, 0x3c01_d615_c5e3, 0x4904_aae3_54e3, 0xd6fe_a739_c76e, 0xd7b5_6acb_07c9,
    0x6381_f7bb_4c36, 0xf6a5_ab0d_b36b, 0xe777_8522_cbe5, 0xc217_b3d1_4c08, 0xa7a9_9674_f90a,
    0x0dc7_34db_e4cb, 0xcfdc_4fd4_7328, 0x6051_28e7_22bd, 0x5d29_223b_d1ca, 0xa7fa_dc8c_aea8,
    0x63ad_df61_15c3, 0x1ae1_17e4_ab40, 0x9d29_8333_f752, 0xfaf4_5c39_2bb8, 0xd280_2e96_f5fc,
    0x2336_0a03_a7fc, 0x071e_9631_3d40, 0xe86e_f7cc_bcc8, 0xe62a_9977_d99c, 0x6daa_dc55_27b3,
    0x5de4_4fac_5505, 0x7295_62c5_7bfa, 0x6846_7af3_ce1f, 0x4297_dffb_4fb3, 0xd7f0_cf0a_69fa,
    0x4a83_3704_8bb9, 0xdab8_b7c8_390f, 0xdffd_c4b9_759f, 0xa686_2d0a_f07f,
];

#[rustfmt::skip]
const HISTORY_SUMS: &[u64] = &[
    0x2ad9_a4ab_17df, 0xae61_dbc1_a642, 0xa51d_a2a1_1df7, 0x65f3_3b17_1bd3, 0x2fda_d8e3_61dc,
    0x02ed_82d3_75ad, 0x9334_adb4_cda7, 0x9463_5cd5_8535, 0x4def_92ea_0f55,
];

impl Known {
    /// What the client says of these migrations, or none where it goes on. Newer ones than it knows are fine with it.
    /// `has_tables` is true where the tables that the first one makes are there.
    pub(super) fn fault(&self, applied: Option<&[Migration]>, has_tables: bool) -> Option<String> {
        let applied = applied.unwrap_or_default();
        if let Some(dirty) = dirty(applied) {
            return Some(is_dirty(dirty));
        }
        if let Some(altered) = self.altered(applied) {
            return Some(format!(
                "migration {altered} was previously applied but has been modified"
            ));
        }
        let missing = self.missing(applied)?;
        let is_begun = has_tables || !applied.is_empty();
        is_begun.then(|| format!("while executing migration {missing}: <text>"))
    }

    /// The first migration whose text is not the client's.
    pub(super) fn altered(&self, applied: &[Migration]) -> Option<i64> {
        let is_altered = |migration: &&Migration| {
            let known = usize::try_from(migration.version - 1)
                .ok()
                .and_then(|at| self.checksums.get(at));
            known.is_some_and(|known| sum(&migration.checksum) != *known)
        };
        applied.iter().find(is_altered).map(|migration| migration.version)
    }

    /// The first migration that was left out although later ones were applied, or although the tables are there.
    fn missing(&self, applied: &[Migration]) -> Option<i64> {
        let newest = applied
            .iter()
            .map(|migration| migration.version)
            .max()
            .unwrap_or(1);
        let newest = newest.min(self.checksums.len() as i64);
        (1..=newest).find(|version| !applied.iter().any(|migration| migration.version == *version))
    }

    /// The number of the migration that comes next.
    pub(super) fn next(applied: Option<&[Migration]>) -> i64 {
        applied
            .unwrap_or_default()
            .iter()
            .map(|migration| migration.version)
            .max()
            .unwrap_or(0)
            + 1
    }

    /// The newest migration that was applied and that no known client has.
    pub(super) fn newer(&self, applied: &[Migration]) -> Option<i64> {
        let newest = applied.iter().map(|migration| migration.version).max()?;
        (newest > self.checksums.len() as i64).then_some(newest)
    }

    /// True where all that the client knows were applied, so that it changes nothing when it opens the file.
    pub(super) fn is_current(&self, applied: Option<&[Migration]>) -> bool {
        let newest = applied
            .unwrap_or_default()
            .iter()
            .map(|migration| migration.version)
            .max();
        newest.is_some_and(|newest| newest >= self.checksums.len() as i64)
    }
}

/// The first migration that was begun and not finished.
pub(super) fn dirty(applied: &[Migration]) -> Option<i64> {
    applied
        .iter()
        .find(|migration| !migration.success)
        .map(|migration| migration.version)
}

/// What the client says of it.
pub(super) fn is_dirty(version: i64) -> String {
    format!("migration {version} is partially applied; fix and remove row from `_sqlx_migrations` table")
}

fn sum(checksum: &[u8]) -> u64 {
    checksum
        .iter()
        .take(6)
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: Known = Known {
        checksums: &[0x0102_0304_0506, 0x1112_1314_1516],
    };

    fn applied(version: i64, success: bool, checksum: &[u8]) -> Migration {
        Migration {
            version,
            success,
            checksum: checksum.to_vec(),
        }
    }

    #[test]
    fn the_client_stops_at_migrations_that_are_dirty_altered_or_left_out() {
        let first = applied(1, true, &[1, 2, 3, 4, 5, 6, 7]);
        let second = applied(2, true, &[17, 18, 19, 20, 21, 22]);
        let unfinished = applied(2, false, &[17, 18, 19, 20, 21, 22]);
        let altered = applied(1, true, &[0]);
        let newer = applied(9, true, &[0]);
        for (name, rows, has_tables, expected) in [
            ("its own", vec![first.clone(), second.clone()], true, None),
            ("older", vec![first.clone()], true, None),
            ("none at all", vec![], false, None),
            ("newer", vec![first.clone(), second.clone(), newer], true, None),
            (
                "dirty",
                vec![first.clone(), unfinished],
                true,
                Some("migration 2 is partially applied"),
            ),
            (
                "altered",
                vec![altered, second.clone()],
                true,
                Some("migration 1 was previously applied"),
            ),
            (
                "left out",
                vec![second],
                true,
                Some("while executing migration 1"),
            ),
            (
                "tables and no record",
                vec![],
                true,
                Some("while executing migration 1"),
            ),
        ] {
            let fault = TWO.fault(Some(&rows), has_tables);
            assert_eq!(fault.is_some(), expected.is_some(), "{name}");
            assert!(
                fault
                    .unwrap_or_default()
                    .starts_with(expected.unwrap_or_default()),
                "{name}"
            );
        }
    }
}
