//! Tests of the memory budget, with threads that wait for it.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

const HALF: usize = limits::MEMORY_BUDGET / 2;

/// Returns the owner of a request that shares nothing with another one.
fn other() -> RequestOwner {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    RequestOwner::of_session(&NUMBER.fetch_add(1, Ordering::Relaxed).to_string())
}

fn waiting(budget: &MemoryBudget) -> usize {
    lock(&budget.queue).waiting.len()
}

fn held(budget: &MemoryBudget) -> usize {
    lock(&budget.queue).held
}

fn until_waiting(budget: &MemoryBudget, number: usize) {
    while waiting(budget) < number {
        std::thread::yield_now();
    }
}

#[test]
fn little_needs_no_asking_and_the_largest_goes_alone() {
    let budget = MemoryBudget::default();
    let huge = budget.acquire(&other(), usize::MAX, BudgetClass::Job).unwrap();
    for who in [BudgetClass::Reader, BudgetClass::Job] {
        let little = budget.acquire(&other(), limits::MEMORY_UNRESERVED, who).unwrap();
        assert_eq!(little.granted(), limits::MEMORY_UNRESERVED);
        let more = budget.acquire_within(&other(), limits::MEMORY_UNRESERVED + 1, who, Duration::ZERO);
        assert!(more.is_err_and(|refusal| refusal.code == ErrorCode::Busy));
    }
    drop(huge);
    assert_eq!((held(&budget), waiting(&budget)), (0, 0), "also by those who gave up");
    let beside = (
        budget.acquire(&other(), HALF, BudgetClass::Job).unwrap(),
        budget.acquire(&other(), HALF, BudgetClass::Reader).unwrap(),
    );
    assert!(
        budget
            .acquire_within(&other(), limits::MEMORY_UNRESERVED + 1, BudgetClass::Job, Duration::ZERO)
            .is_err()
    );
    drop(beside);
    assert_eq!(held(&budget), 0);
}

#[test]
fn a_large_one_is_not_overtaken_by_small_ones_that_would_fit() {
    let budget = MemoryBudget::default();
    let first = budget.acquire(&other(), HALF, BudgetClass::Reader).unwrap();
    let order = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _all = budget.acquire(&other(), limits::MEMORY_BUDGET, BudgetClass::Job).unwrap();
            lock(&order).push("large");
        });
        until_waiting(&budget, 1);
        scope.spawn(|| {
            let _little =
                budget.acquire(&other(), limits::MEMORY_UNRESERVED * 2, BudgetClass::Reader).unwrap();
            lock(&order).push("small");
        });
        until_waiting(&budget, 2);
        drop(first);
    });
    assert_eq!(*lock(&order), ["large", "small"]);
    assert_eq!(held(&budget), 0);
}

#[test]
fn a_reservation_that_is_given_up_lets_those_behind_go_on() {
    let budget = MemoryBudget::default();
    let _first = budget.acquire(&other(), HALF, BudgetClass::Reader).unwrap();
    std::thread::scope(|scope| {
        let large = || {
            budget
                .acquire_within(&other(), limits::MEMORY_BUDGET, BudgetClass::Job, Duration::from_millis(20))
                .is_err()
        };
        let large = scope.spawn(large);
        until_waiting(&budget, 1);
        let small = scope.spawn(|| budget.acquire(&other(), HALF, BudgetClass::Reader).is_ok());
        assert!(large.join().unwrap() && small.join().unwrap());
    });
}

#[test]
fn few_may_wait_and_the_sum_is_never_exceeded() {
    let budget = MemoryBudget::default();
    let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let all = budget.acquire(&other(), limits::MEMORY_BUDGET, BudgetClass::Job).unwrap();
    std::thread::scope(|scope| {
        for who in [BudgetClass::Reader, BudgetClass::Job] {
            let places = if who == BudgetClass::Job { limits::JOBS_WAITING } else { limits::READERS_WAITING };
            for nth in 0..places {
                let (budget, now, most) = (&budget, &now, &most);
                scope.spawn(move || {
                    let bytes = limits::MEMORY_BUDGET / (2 + nth % 5);
                    let reservation = budget.acquire(&other(), bytes, who).unwrap();
                    most.fetch_max(now.fetch_add(bytes, Ordering::SeqCst) + bytes, Ordering::SeqCst);
                    std::thread::yield_now();
                    now.fetch_sub(bytes, Ordering::SeqCst);
                    drop(reservation);
                });
            }
        }
        until_waiting(&budget, limits::JOBS_WAITING + limits::READERS_WAITING);
        for who in [BudgetClass::Reader, BudgetClass::Job] {
            assert!(
                budget.acquire(&other(), HALF, who).is_err_and(|refusal| refusal.code == ErrorCode::Busy)
            );
        }
        drop(all);
    });
    assert!((HALF..=limits::MEMORY_BUDGET).contains(&most.into_inner()));
    assert_eq!((held(&budget), waiting(&budget)), (0, 0));
}

#[test]
fn more_is_had_at_once_or_not_at_all() {
    let budget = MemoryBudget::default();
    let one = budget.acquire(&other(), HALF, BudgetClass::Job).unwrap();
    assert!(one.grow(limits::MEMORY_UNRESERVED) && one.grow(HALF), "it has that");
    let other = budget.acquire(&other(), HALF, BudgetClass::Job).unwrap();
    assert!(!one.grow(HALF + 1) && !other.grow(usize::MAX));
    assert!(budget.try_acquire(limits::MEMORY_UNRESERVED + 1).is_none());
    assert!(budget.try_acquire(limits::MEMORY_UNRESERVED).is_some());
    drop(other);
    assert!(one.grow(usize::MAX), "alone it may have all that it needs");
    assert_eq!(one.granted(), usize::MAX);
    drop(one);
    assert_eq!(held(&budget), 0);
}

#[test]
fn several_requests_of_one_session_leave_memory_to_the_others() {
    let budget = MemoryBudget::default();
    let quarter = HALF / 2;
    let job =
        |session: &'static str| budget.acquire(&RequestOwner::of_session(session), quarter, BudgetClass::Job);
    let share = [job("greedy").unwrap(), job("greedy").unwrap()];
    let more =
        budget.acquire_within(&RequestOwner::of_session("greedy"), quarter, BudgetClass::Job, Duration::ZERO);
    assert!(more.is_err_and(|refusal| refusal.message.contains("session \"greedy\" hold 268435456 bytes")));
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| job("greedy").is_ok());
        until_waiting(&budget, 1);
        // It has its share; the one that waits delays nobody else.
        let _honest = job("honest").unwrap();
        drop(share);
        assert!(waits.join().unwrap());
    });
    assert_eq!(held(&budget), 0);
    assert!(lock(&budget.queue).of.is_empty());
}

#[test]
fn one_process_with_many_sessions_has_one_share() {
    let budget = MemoryBudget::default();
    let quarter = HALF / 2;
    let of_process = |nth: u64| RequestOwner::new(nth, &nth.to_string(), Some(7));
    let _share = [1, 2, 3].map(|nth| budget.acquire(&of_process(nth), quarter, BudgetClass::Reader).unwrap());
    let more = budget.acquire_within(&of_process(4), quarter, BudgetClass::Reader, Duration::ZERO);
    assert!(more.is_err_and(|refusal| refusal.message.contains("process 7")));
    assert!(budget.acquire(&other(), quarter, BudgetClass::Reader).is_ok());
}
