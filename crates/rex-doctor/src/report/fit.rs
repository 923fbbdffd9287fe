//! How a table fits a terminal: columns of words give way, an id is never broken, since a person copies it.

use tabled::grid::util::string::{string_width, string_width_multiline};

/// What the frame adds to each column, and once to the table.
const FRAME_PER_COLUMN: usize = 3;
const FRAME: usize = 1;

/// For each column the width that it must be wrapped to, none where it stays as it is. Where the longest words alone are
/// wider than `limit`, so is the table. `rows` are the head's and all others' cells; widths are in terminal columns.
pub(super) fn wrapped_widths(rows: &[Vec<String>], limit: usize) -> Vec<Option<usize>> {
    let count = rows.first().map_or(0, Vec::len);
    let widest = |measure: fn(&str) -> usize| -> Vec<usize> {
        (0..count)
            .map(|column| {
                let cells = rows.iter().filter_map(|row| row.get(column));
                cells.map(|cell| measure(cell)).max().unwrap_or_default()
            })
            .collect()
    };
    let natural = widest(string_width_multiline);
    let least = widest(longest_word);
    let mut widths = natural.clone();
    let room = limit.saturating_sub(FRAME + FRAME_PER_COLUMN * count);
    while widths.iter().sum::<usize>() > room {
        let widest = widths
            .iter_mut()
            .zip(&least)
            .filter_map(|(width, least)| (*width > *least).then_some(width))
            .max();
        let Some(width) = widest else { break };
        *width -= 1;
    }
    widths
        .into_iter()
        .zip(natural)
        .map(|(width, natural)| (width < natural).then_some(width))
        .collect()
}

fn longest_word(cell: &str) -> usize {
    cell.split_whitespace()
        .map(string_width)
        .max()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_give_way_and_ids_do_not() {
        let rows = [["id", "title"], ["0123456789", "move to the new parser"]]
            .map(|row| row.map(str::to_owned).to_vec());
        for (limit, expected) in [
            (39, [None, None]),
            (38, [None, Some(21)]),
            (25, [None, Some(8)]),
            (10, [None, Some(6)]),
        ] {
            assert_eq!(wrapped_widths(&rows, limit), expected, "{limit} columns");
        }
    }
}
