//! Each change is reported once, and a change back is reported again.

use editd_proto::ids::Version;
use editd_proto::message::{ChangeEvent, ChangeKind};

use crate::limits;
use crate::watch::ReportedVersions;

fn event(path: &str, change: ChangeKind, version: Option<&str>) -> ChangeEvent {
    let version = version.map(|version| Version(version.to_owned()));
    ChangeEvent { path: Some(path.into()), version, ..ChangeEvent::without_path(change) }
}

#[test]
fn writes_of_the_daemon_are_no_news_to_the_watcher() {
    let mut echo = ReportedVersions::default();
    echo.wrote(&"a".into(), Some(&Version("1".into())));
    assert!(!echo.is_news(&event("a", ChangeKind::Changed, Some("1"))));
    assert!(!echo.is_news(&event("a", ChangeKind::Changed, Some("1"))));
    assert!(echo.is_news(&event("b", ChangeKind::Changed, Some("1"))));
}

#[test]
fn content_decides_so_a_change_back_is_news() {
    let mut echo = ReportedVersions::default();
    echo.wrote(&"a".into(), Some(&Version("1".into())));
    assert!(echo.is_news(&event("a", ChangeKind::Changed, Some("2"))));
    assert!(!echo.is_news(&event("a", ChangeKind::Changed, Some("2"))));
    assert!(echo.is_news(&event("a", ChangeKind::Changed, Some("1"))));
}

#[test]
fn a_removal_is_told_once() {
    let mut echo = ReportedVersions::default();
    assert!(echo.is_news(&event("a", ChangeKind::Removed, None)));
    assert!(!echo.is_news(&event("a", ChangeKind::Removed, None)));
    assert!(echo.is_news(&event("a", ChangeKind::Created, Some("1"))));
    echo.wrote(&"a".into(), None);
    assert!(!echo.is_news(&event("a", ChangeKind::Removed, None)));
}

#[test]
fn an_overflow_is_always_told() {
    let mut echo = ReportedVersions::default();
    let overflow = ChangeEvent { path: None, ..event("", ChangeKind::Overflow, None) };
    assert!(echo.is_news(&overflow) && echo.is_news(&overflow));
}

#[test]
fn the_oldest_is_forgotten_and_nothing_grows() {
    let mut echo = ReportedVersions::default();
    for n in 0..limits::WATCH_ECHOES + 1 {
        assert!(echo.is_news(&event(&n.to_string(), ChangeKind::Changed, Some("1"))));
    }
    let newest = limits::WATCH_ECHOES.to_string();
    assert!(!echo.is_news(&event(&newest, ChangeKind::Changed, Some("1"))));
    assert!(echo.is_news(&event("0", ChangeKind::Changed, Some("1"))), "forgotten: told again");
}
