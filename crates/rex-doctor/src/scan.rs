//! Many sessions at once, on a few threads, in bounded memory.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Examines each item on up to `workers` threads and returns the answers in the order of the items. The items are
/// handed out one by one, so a big one does not hold up the others.
pub fn each<T: Sync, R: Send>(items: &[T], workers: usize, examine: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let workers = workers.min(items.len());
    if workers < 2 {
        return items.iter().map(examine).collect();
    }
    let next = AtomicUsize::new(0);
    let answers = Mutex::new(Vec::with_capacity(items.len()));
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((at, item)) = take(items, &next) {
                    let answer = examine(item);
                    answers
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .push((at, answer));
                }
            });
        }
    });
    let mut answers = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    answers.sort_by_key(|(at, _)| *at);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

fn take<'a, T>(items: &'a [T], next: &AtomicUsize) -> Option<(usize, &'a T)> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    items.get(at).map(|item| (at, item))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_keep_the_order_of_the_items() {
        let items: Vec<u32> = (0..1000).collect();
        for workers in [0, 1, 2, 7] {
            assert_eq!(
                each(&items, workers, |n| n * 2),
                items.iter().map(|n| n * 2).collect::<Vec<_>>()
            );
        }
    }
}
