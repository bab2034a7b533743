//! A crew of threads that takes work items in order, each thread with a state of its own.

use std::sync::Mutex;

/// Runs `work` on every item, on at most `threads` threads, and returns the states the threads ended with. Items are
/// handed out in order, so an item should be worth some microseconds at least. With one thread everything happens on the
/// caller's.
///
/// # Panics
/// If `work` panics.
pub fn crew<I, S>(
    threads: usize,
    items: I,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, I::Item) + Sync,
) -> Vec<S>
where
    I: Iterator + Send,
    S: Send,
{
    if threads <= 1 {
        let mut state = state();
        items.for_each(|item| work(&mut state, item));
        return vec![state];
    }
    let items = Mutex::new(items);
    let next = || items.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next();
    let member = || {
        let mut state = state();
        while let Some(item) = next() {
            work(&mut state, item);
        }
        state
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(member)).collect();
        let mut states = vec![member()];
        for other in others {
            states.push(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        states
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_worked_on_once() {
        for threads in [1, 2, 5] {
            let sums = crew(threads, 0..1000u64, || 0, |sum, item| *sum += item);
            assert!(sums.len() <= threads);
            assert_eq!(sums.iter().sum::<u64>(), 499_500);
        }
    }
}
