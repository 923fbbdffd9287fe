//! Tables and numbers for people.

use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Style};

/// Two columns: what, and its value.
pub(super) fn pairs(rows: impl IntoIterator<Item = (String, String)>) -> String {
    let mut table = Builder::default();
    for (name, value) in rows {
        table.push_record([name, value]);
    }
    tidy(&table.build().with(Style::empty()).to_string())
}

/// A head and rows; the columns named are numbers.
pub(super) fn grid<const N: usize>(head: [&str; N], numbers: &[usize], rows: Vec<[String; N]>) -> String {
    let mut table = Builder::default();
    table.push_record(head);
    for row in rows {
        table.push_record(row);
    }
    let mut table = table.build();
    table.with(Style::psql());
    for column in numbers {
        table.modify(Columns::single(*column), Alignment::right());
    }
    tidy(&table.to_string())
}

/// Without the blanks that fill up a table's last column.
fn tidy(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];

/// A size as people read it; below 10 KiB to the byte.
pub(super) fn bytes(count: u64) -> String {
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 10_240.0 && unit < UNITS.len() - 1 {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.0} {}", UNITS.get(unit).unwrap_or(&"bytes"))
}

/// A row of a table of pairs.
#[expect(
    clippy::needless_pass_by_value,
    reason = "callers hand over what they have just made"
)]
pub(super) fn pair(name: &str, value: impl ToString) -> (String, String) {
    (name.to_owned(), value.to_string())
}
