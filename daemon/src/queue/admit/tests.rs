//! Tests of the limits and of the shares of connections, sessions and processes.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::*;

fn owner(number: u32) -> RequestOwner {
    RequestOwner::new(u64::from(number), &format!("s{number}"), Some(number))
}

fn code<T>(result: Result<T, Refusal>) -> Option<ErrorCode> {
    result.err().map(|refusal| refusal.code)
}

fn is_empty(gate: &AdmissionGate) -> bool {
    let admitted = lock(&gate.admitted);
    admitted.all == HeldCounts::default() && admitted.of.is_empty()
}

#[test]
fn one_job_too_many_is_busy_until_another_is_out() {
    let gate = AdmissionGate::new();
    let enter = |number: usize| gate.job(gate.request(&owner(u32::try_from(number).unwrap()), 1)?);
    let mut inside: Vec<AdmissionPass> = (0..limits::QUEUE).map(|nth| enter(nth % 100).unwrap()).collect();
    assert_eq!(code(enter(200)), Some(ErrorCode::Busy));
    assert_eq!(gate.jobs(), limits::QUEUE, "a refused job is not counted");
    inside.pop();
    inside.push(enter(200).unwrap());
    inside.clear();
    assert_eq!(gate.jobs(), 0);
    assert!(is_empty(&gate));
}

#[test]
fn no_connection_session_or_process_has_more_than_its_share_of_the_jobs() {
    let process = |nth: u64| u32::try_from(nth + 1).ok();
    let name = |nth: u64| format!("s{nth}");
    let of_connection = |nth: u64| RequestOwner::new(0, &name(nth), process(nth));
    let of_session = |nth: u64| RequestOwner::new(nth + 1, "s", process(nth));
    let of_process = |nth: u64| RequestOwner::new(nth + 1, &name(nth), Some(0));
    let cases: [(&str, &dyn Fn(u64) -> RequestOwner); 3] =
        [("connection", &of_connection), ("session", &of_session), ("process", &of_process)];
    for (what, of) in cases {
        let gate = AdmissionGate::new();
        let enter = |owner: &RequestOwner| gate.job(gate.request(owner, 1)?);
        let _inside: Vec<AdmissionPass> =
            (0..limits::QUEUE_SHARE).map(|nth| enter(&of(nth as u64)).unwrap()).collect();
        let refused = enter(&of(5000)).unwrap_err();
        assert!(refused.message.contains(what), "{what}: {}", refused.message);
        assert!(enter(&RequestOwner::new(9999, "other", Some(9999))).is_ok(), "{what}: others have room");
    }
}

#[test]
fn large_requests_leave_the_reserve_to_small_ones() {
    let gate = AdmissionGate::new();
    let (half, small) = (limits::LARGE_SHARE, limits::SMALL_REQUEST);
    let first = gate.request(&owner(1), half).unwrap();
    assert_eq!(code(gate.request(&owner(1), small + 1)), Some(ErrorCode::Busy), "its share is used up");
    let _second = gate.request(&owner(2), half).unwrap();
    assert_eq!(code(gate.request(&owner(3), small + 1)), Some(ErrorCode::Busy), "so is the sum");
    let oversized = gate.request(&owner(4), half + 1).unwrap();
    assert_eq!(code(gate.request(&owner(5), half + 1)), Some(ErrorCode::Busy), "one of these at a time");
    for number in 1..10 {
        assert!(gate.request(&owner(number), small).is_ok(), "a small one is admitted");
    }
    drop((first, oversized));
    assert!(gate.request(&owner(3), small + 1).is_ok());
    assert!(gate.request(&owner(5), limits::QUEUE_BYTES * 10).is_ok(), "a single request always fits");
}

#[test]
fn small_requests_of_one_owner_leave_room_for_those_of_others() {
    let gate = AdmissionGate::new();
    let small = limits::SMALL_REQUEST;
    let fit = limits::SMALL_SHARE / small;
    let mut inside: Vec<AdmissionPass> = (0..fit).map(|_| gate.request(&owner(1), small).unwrap()).collect();
    let refused = gate.request(&owner(1), 1).unwrap_err();
    assert!(refused.message.contains("session \"s1\" has requests of 8388608 bytes"), "{}", refused.message);
    inside.extend((0..fit).map(|_| gate.request(&owner(2), small).unwrap()));
    assert_eq!(code(gate.request(&owner(3), 1)), Some(ErrorCode::Busy));
    inside.clear();
    assert!(is_empty(&gate));
}

#[test]
fn an_acknowledged_job_goes_past_a_full_gate_and_counts() {
    let gate = AdmissionGate::new();
    let inside: Vec<AdmissionPass> =
        (0..limits::QUEUE + 1).map(|_| gate.requeue("s", limits::LARGE_SHARE)).collect();
    assert_eq!(gate.jobs(), limits::QUEUE + 1);
    assert_eq!(code(gate.request(&owner(1), limits::LARGE_SHARE)), Some(ErrorCode::Busy));
    drop(inside);
    assert!(is_empty(&gate));
}

#[test]
fn a_request_counts_as_what_it_becomes_until_that_is_freed() {
    let gate = AdmissionGate::new();
    let mut large = gate.request(&owner(1), 10).unwrap().weighing(limits::LARGE_SHARE).unwrap();
    let small = gate.request(&owner(1), 10).unwrap();
    assert_eq!(code(small.weighing(limits::SMALL_REQUEST + 1)), Some(ErrorCode::Busy));
    large = gate.job(large).unwrap();
    large.freed();
    assert_eq!(gate.jobs(), 1, "the job goes on");
    assert!(gate.request(&owner(1), 10).unwrap().weighing(limits::LARGE_SHARE).is_ok());
    drop(large);
    assert!(is_empty(&gate));
}

#[test]
fn a_request_that_is_refused_keeps_no_other_out() {
    let gate = AdmissionGate::new();
    let _some = gate.request(&owner(1), limits::LARGE_SHARE).unwrap();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let refused = scope.spawn(|| {
            while !over.load(Ordering::Acquire) {
                assert_eq!(code(gate.request(&owner(1), limits::LARGE_SHARE)), Some(ErrorCode::Busy));
                let little = gate.request(&owner(1), 10).unwrap();
                assert_eq!(code(little.weighing(limits::LARGE_SHARE)), Some(ErrorCode::Busy));
            }
        });
        let let_in = (0..100_000).filter(|_| {
            let pass = gate.request(&owner(2), 10).and_then(|pass| pass.weighing(limits::LARGE_SHARE));
            pass.and_then(|pass| gate.job(pass)).is_ok()
        });
        let let_in = let_in.count();
        over.store(true, Ordering::Release);
        refused.join().unwrap();
        assert_eq!(let_in, 100_000);
    });
}

#[test]
fn a_closed_gate_lets_no_job_in() {
    let gate = AdmissionGate::new();
    let inside = gate.job(gate.request(&owner(1), 1).unwrap()).unwrap();
    gate.close();
    assert_eq!(code(gate.job(gate.request(&owner(1), 1).unwrap())), Some(ErrorCode::Stopping));
    assert_eq!(gate.jobs(), 1);
    drop(inside);
    assert_eq!(gate.jobs(), 0);
}
