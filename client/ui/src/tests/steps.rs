//! Tests of single steps: what is requested, and what stays.

use editd_proto::message::{HunkChoice, OnStale};

use super::journal_in_memory::{Interface, entry, long, standard, stored, style};
use crate::state::detail::DetailPage;
use crate::state::journal::{ListPurpose, ListRequest};
use crate::state::overlay::Overlay;
use crate::state::{DaemonLink, FocusedPane, Input, Key, Request};

const SIZE: (u16, u16) = (80, 24);

fn lists(interface: &Interface) -> Vec<&ListRequest> {
    let asked = interface.asked.iter();
    asked.filter_map(|request| if let Request::List(list) = request { Some(list) } else { None }).collect()
}

fn shows(interface: &Interface) -> Vec<u64> {
    let asked = interface.asked.iter();
    asked
        .filter_map(|request| if let Request::Show(entry, _) = request { Some(*entry) } else { None })
        .collect()
}

#[test]
fn pages_are_requested_only_when_the_selection_comes_near_their_end() {
    let mut interface = Interface::connected(long(100_000), SIZE);
    assert_eq!(interface.state.journal.rows.len(), 100);
    interface.press("PgDn PgDn PgDn");
    assert_eq!(interface.state.journal.rows.len(), 100);
    interface.press("End");
    assert_eq!(interface.state.journal.rows.len(), 200);
    assert_eq!(interface.state.journal.selected, Some(99_901));
    assert_eq!(lists(&interface).last().unwrap().before, Some(99_901));
}

#[test]
fn a_search_stops_after_some_pages_and_goes_on_with_a_key() {
    let mut interface = Interface::connected(long(10_000), SIZE);
    interface.press("/ nowhere Enter");
    let searched = interface.state.journal.rows.len();
    assert!((2000..3000).contains(&searched), "{searched}");
    assert!(interface.state.journal.search_waits());
    interface.press("Down");
    assert!(interface.state.journal.rows.len() >= searched + 2000);
}

#[test]
fn the_selection_stays_on_its_entry_while_others_arrive() {
    let mut interface = Interface::connected(long(500), SIZE);
    interface.press("Down Down Down Down Down Down Down Down Down Down Down Down Down Down");
    interface.press("Up Up Up Up");
    let (selected, offset) = (interface.state.journal.selected, interface.state.journal.offset);
    assert!(offset > 0);
    for id in 501..520 {
        interface.entries.push(entry(id, "agent-9", "src/b.rs"));
        interface.give(Input::Changed);
    }
    assert_eq!(interface.state.journal.selected, selected);
    assert_eq!(interface.state.journal.offset, offset + 19, "the same rows are on the screen");
    assert_eq!(interface.state.text.entry, selected);
}

#[test]
fn more_new_entries_than_a_page_leave_no_gap() {
    let mut interface = Interface::connected(long(200), SIZE);
    interface.entries.extend((201..=700).map(|id| entry(id, "agent-9", "src/b.rs")));
    interface.give(Input::Changed);
    let ids: Vec<u64> = interface.state.journal.rows.iter().map(|row| row.id).collect();
    assert_eq!(ids.first().zip(ids.last()), Some((&700, &1)));
    assert!(ids.windows(2).all(|pair| matches!(pair, [above, below] if *above == below + 1)));
    // More than the daemon sends at once: the list begins anew.
    interface.entries.extend((701..=3000).map(|id| entry(id, "agent-9", "src/b.rs")));
    interface.give(Input::Changed);
    let ids: Vec<u64> = interface.state.journal.rows.iter().map(|row| row.id).collect();
    assert_eq!(ids.first(), Some(&3000));
    assert!(ids.windows(2).all(|pair| matches!(pair, [above, below] if *above == below + 1)));
}

#[test]
fn many_events_are_one_request_until_it_is_answered() {
    let mut interface = Interface::connected(standard(), SIZE);
    interface.mute = true;
    let before = lists(&interface).len();
    (0..50).for_each(|_| interface.give(Input::Changed));
    let asked: Vec<ListRequest> = lists(&interface).into_iter().skip(before).cloned().collect();
    let [asked] = asked.as_slice() else { panic!("{asked:?}") };
    // What happened meanwhile is looked at once more.
    interface.give(Input::Listed(asked.clone(), Ok((Vec::new(), false))));
    assert_eq!(lists(&interface).len(), before + 2);
}

#[test]
fn an_old_entry_that_is_undone_is_looked_at_again() {
    let mut interface = Interface::connected(long(400), SIZE);
    interface.press("End End End");
    let mut undo = entry(401, "agent-9", "src/file150.rs");
    undo.entry.of = vec![editd_proto::ids::JobId(150)];
    interface.entries.push(undo);
    interface.entries.get_mut(149).unwrap().entry.undone = true;
    interface.give(Input::Changed);
    let row = interface.state.journal.row(150).unwrap();
    assert_eq!(row.undone, crate::state::entry_row::UndoneExtent::Whole);
}

#[test]
fn a_key_looks_at_a_thousand_entries_again() {
    let mut interface = Interface::connected(long(400), SIZE);
    interface.press("End End End");
    // It is behind the newest page, and no new entry names it.
    interface.entries.get_mut(149).unwrap().entry.partly_undone = true;
    interface.give(Input::Changed);
    let undone = |interface: &Interface| interface.state.journal.row(150).unwrap().undone;
    assert_eq!(undone(&interface), crate::state::entry_row::UndoneExtent::Nothing);
    interface.press("R");
    assert_eq!(undone(&interface), crate::state::entry_row::UndoneExtent::Partly);
}

#[test]
fn the_text_is_loaded_again_if_its_entry_is_undone() {
    let mut interface = Interface::connected(standard(), SIZE);
    interface.press("End");
    let before = shows(&interface).len();
    interface.entries.push(entry(6, "agent-9", "src/b.rs"));
    interface.give(Input::Changed);
    assert_eq!(shows(&interface).len(), before, "another entry changes nothing");
    interface.entries.first_mut().unwrap().entry.undone = true;
    interface.give(Input::Changed);
    assert_eq!(shows(&interface).split_off(before), [1]);
    assert!(interface.state.text.rows.iter().any(|row| row.text.contains("undone")));
}

#[test]
fn the_reply_to_an_earlier_filter_is_dropped() {
    let mut interface = Interface::connected(long(300), SIZE);
    interface.mute = true;
    interface.press("End s agent-1 Enter");
    let older = lists(&interface).into_iter().find(|one| one.purpose == ListPurpose::Older).unwrap().clone();
    let reply = interface.answer(Request::List(older)).unwrap();
    interface.give(reply);
    assert_eq!(interface.state.journal.rows.len(), 0);
    let newest = lists(&interface).last().unwrap().to_owned().clone();
    assert_eq!(newest.session.as_deref(), Some("agent-1"));
    let reply = interface.answer(Request::List(newest)).unwrap();
    interface.give(reply);
    assert!(interface.state.journal.rows.iter().all(|row| row.session == "agent-1"));
    interface.mute = false;
    interface.press("Esc");
    assert!(interface.state.journal.filter.session.is_none());
    assert!(interface.state.journal.rows.iter().any(|row| row.session == "agent-2"));
}

#[test]
fn only_the_selected_entry_is_loaded() {
    let mut interface = Interface::connected(long(50), SIZE);
    assert_eq!(shows(&interface), [50]);
    interface.press("Down Down");
    assert_eq!(shows(&interface), [50, 49, 48]);
    // A text that comes too late is not shown.
    let late = interface.answer(Request::Show(50, 0)).unwrap();
    let before = interface.state.text.rows.clone();
    interface.give(late);
    assert_eq!(interface.state.text.rows, before);
}

#[test]
fn the_files_of_a_large_entry_are_loaded_as_the_cursor_reaches_them() {
    let page = |from: usize| {
        let mut reply = standard().remove(0);
        reply.entry.files = vec![reply.entry.files.remove(from)];
        reply.entry.omitted_files = 1;
        reply.changes = vec![reply.changes.remove(from)];
        DetailPage::of(&reply, from as u64, &style())
    };
    let mut interface = Interface::connected(standard(), (80, 8));
    interface.mute = true;
    interface.press("End");
    interface.give(Input::Shown(1, 0, Ok(page(0))));
    let last = interface.asked.len();
    interface.press("Tab Down");
    assert_eq!(interface.asked.len(), last, "the first screen needs no other file");
    interface.press("End Up");
    let asked = interface.asked.split_off(last);
    assert_eq!(asked, [Request::Show(1, 1)]);
    interface.give(Input::Shown(1, 1, Ok(page(1))));
    interface.press("End u y");
    let Some(Request::Undo(target)) = interface.asked.last() else { panic!("no undo was requested") };
    assert_eq!(target.request("k".to_owned()).paths, ["src/b.rs".into()]);
}

#[test]
fn a_message_of_the_daemon_stays_until_the_next_key() {
    let mut interface = Interface::connected(standard(), SIZE);
    interface.give(Input::Noticed("the log is damaged\n".to_owned()));
    interface.give(Input::Changed);
    assert_eq!(interface.state.notice.as_deref(), Some("the log is damaged"));
    interface.press("Down");
    assert_eq!(interface.state.notice, None);
}

#[test]
fn an_undo_needs_an_answer_and_names_exactly_the_part() {
    let undone_of = |entries, keys: &str| {
        let mut interface = Interface::connected(entries, SIZE);
        interface.press(keys);
        let targets = interface.asked.iter().filter_map(|request| match request {
            Request::Undo(target) => Some(target.clone()),
            _ => None,
        });
        targets.map(|target| target.request("k".to_owned())).collect::<Vec<_>>()
    };
    let undone = |keys: &str| undone_of(standard(), keys);
    for keys in ["End u", "End u n", "End u Esc", "End u Enter", "End u u", "End r q"] {
        assert_eq!(undone(keys), [], "{keys}");
    }
    let whole = undone("End u y");
    let [whole] = whole.as_slice() else { panic!("{whole:?}") };
    assert_eq!((whole.jobs.len(), whole.paths.len(), whole.hunks.len()), (1, 0, 0));
    assert_eq!(whole.on_stale, OnStale::Reject);
    let file = undone("End Tab n n n n u y");
    let [file] = file.as_slice() else { panic!("{file:?}") };
    assert_eq!((file.paths.as_slice(), file.hunks.len()), (["src/b.rs".into()].as_slice(), 0));
    let hunk = undone("End Tab n n n Down Down u y");
    let [hunk] = hunk.as_slice() else { panic!("{hunk:?}") };
    assert_eq!(hunk.paths, ["src/a.rs".into()]);
    assert_eq!(hunk.hunks, [HunkChoice::One(2)]);
    let rename = undone_of(stored("renamed"), "Tab n Down Down u y");
    let [rename] = rename.as_slice() else { panic!("{rename:?}") };
    assert_eq!(
        (rename.paths.as_slice(), rename.hunks.len()),
        (["old.rs".into(), "src/new.rs".into()].as_slice(), 0)
    );
}

#[test]
fn the_cursor_stays_in_its_hunk_when_the_text_changes() {
    let mut interface = Interface::connected(standard(), SIZE);
    interface.press("End Tab n n Down");
    let place = interface.state.text.part().cloned();
    let entry = &mut interface.entries.first_mut().unwrap().entry;
    // Each is a row above the hunk.
    (entry.forgotten, entry.diverged) = (true, true);
    interface.press("R");
    assert_eq!(interface.state.text.part().cloned(), place);
    // The hunk is gone: no other part is selected.
    interface.entries.first_mut().unwrap().changes.clear();
    interface.press("R");
    assert_eq!(interface.state.text.cursor, 0);
}

#[test]
fn a_refusal_waits_for_an_open_prompt_and_takes_none_of_its_keys() {
    let mut interface = Interface::connected(standard(), SIZE);
    interface.press("u y / m");
    let Some(Request::Undo(target)) = interface.asked.last().cloned() else {
        panic!("no undo was requested")
    };
    let result = crate::state::undo::UndoResult {
        refused: true,
        can_merge: true,
        text: "stale".to_owned(),
        has_details: false,
    };
    interface.give(Input::Undone(target, result));
    interface.press("m");
    assert!(matches!(&interface.state.overlay, Some(Overlay::Prompt { text, .. }) if text == "mm"));
    interface.press("Esc");
    assert!(matches!(interface.state.overlay, Some(Overlay::Report { .. })));
    interface.press("m");
    assert!(matches!(&interface.state.overlay, Some(Overlay::Question { target }) if target.rebase));
}

#[test]
fn the_letters_of_a_pasted_text_are_no_keys() {
    let mut interface = Interface::connected(standard(), SIZE);
    interface.give(Input::Pasted("uy".to_owned()));
    assert_eq!(interface.state.overlay, None);
    interface.press("u");
    interface.give(Input::Pasted("y\n".to_owned()));
    assert!(!interface.asked.iter().any(|request| matches!(request, Request::Undo(_))));
    interface.press("n s");
    interface.give(Input::Pasted("outside\nagent-1".to_owned()));
    interface.press("Enter");
    assert_eq!(interface.state.journal.filter.session.as_deref(), Some("outside"));
}

#[test]
fn only_one_undo_is_on_its_way() {
    let mut interface = Interface::connected(standard(), SIZE);
    interface.press("u y u");
    assert_eq!(interface.state.overlay, None);
    assert!(interface.state.notice.as_ref().is_some_and(|notice| notice.starts_with("wait")));
}

#[test]
fn without_a_daemon_nothing_is_requested_until_it_is_back() {
    let mut interface = Interface::connected(standard(), SIZE);
    interface.give(Input::Lost("the daemon stopped".to_owned()));
    interface.give(Input::Lost("no daemon serves it".to_owned()));
    assert_eq!(interface.state.link, DaemonLink::Lost("the daemon stopped".to_owned()));
    let asked = interface.asked.len();
    interface.give(Input::Changed);
    assert_eq!(interface.asked.len(), asked);
    assert_eq!(interface.state.journal.rows.len(), 5, "the entries stay");
    interface.entries.push(entry(6, "agent-1", "src/b.rs"));
    interface.give(Input::Connected);
    assert_eq!(interface.state.journal.rows.len(), 6);
    interface.give(Input::Lost("the daemon stopped".to_owned()));
    interface.press("R");
    assert_eq!(interface.asked.last(), Some(&Request::Reconnect));
}

#[test]
fn a_session_of_the_table_becomes_the_filter() {
    let mut interface = Interface::connected(standard(), SIZE);
    interface.press("S Down Enter");
    assert_eq!(interface.state.journal.filter.session.as_deref(), Some("outside"));
    assert_eq!(interface.state.journal.rows.len(), 1);
    // The end of the table loads older entries.
    let mut interface = Interface::connected(long(300), SIZE);
    interface.press("S End");
    assert_eq!(interface.state.journal.rows.len(), 200);
    assert!(interface.state.sessions.is_some());
}

#[test]
fn every_key_is_harmless_in_every_place() {
    let keys =
        "Up Down Left Right PgUp PgDn Home End Tab Enter Esc Backspace k j g G h l n p m / f s S u r R ? x";
    for size in [(0, 0), (20, 4), (40, 10), SIZE, (200, 60)] {
        for journal in [Vec::new(), standard(), long(150)] {
            for place in ["", "Tab", "S", "?", "/", "u"] {
                let mut interface = Interface::connected(journal.clone(), size);
                interface.press(place);
                keys.split(' ').for_each(|key| interface.press(key));
                let mut buffer =
                    ratatui::buffer::Buffer::empty(ratatui::layout::Rect::new(0, 0, size.0, size.1));
                crate::view::draw(
                    &interface.state,
                    crate::view::Palette { colours: true },
                    buffer.area,
                    &mut buffer,
                );
            }
        }
    }
}

#[test]
fn quitting_needs_no_daemon() {
    for key in [Key::Char('q'), Key::Interrupt] {
        let mut interface = Interface::new(Vec::new(), SIZE);
        interface.give(Input::Key(key));
        assert_eq!(interface.asked.last(), Some(&Request::Quit));
    }
    let mut interface = Interface::connected(standard(), (40, 10));
    interface.press("Tab");
    assert_eq!(interface.state.focus, FocusedPane::Text);
    interface.press("Esc");
    assert_eq!(interface.state.focus, FocusedPane::List);
}
