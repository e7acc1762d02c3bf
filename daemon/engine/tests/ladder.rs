//! Quotations cut from random files and disturbed, against a naive model of the rungs that compare whole lines. No
//! file is touched.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::sync::Arc;

use editd_engine::{FileState, Plan, PlanOptions, Refusal, WorkspaceSnapshot, apply, plan_input as plan};
use editd_proto::error::ErrorCode;
use editd_proto::message::{FileEdit, FileEntry, JobRequest};
use editd_proto::path::FilePath;
use proptest::prelude::*;

/// A line of a file: indentation, text, white space at the end, line break.
type Line = (String, String, String, String);

fn line() -> impl Strategy<Value = Line> {
    let indent = prop_oneof![
        Just(""),
        Just("  "),
        Just("    "),
        Just("      "),
        Just("\t"),
        Just("\t\t"),
        Just("\t  ")
    ];
    let says = prop_oneof![6 => "[abc]", 1 => Just(String::new())];
    let behind = prop_oneof![4 => Just(""), 1 => Just(" "), 1 => Just("\t ")];
    let ending = prop_oneof![2 => Just("\n"), 1 => Just("\r\n")];
    let owned = |text: &str| text.to_owned();
    (indent.prop_map(owned), says, behind.prop_map(owned), ending.prop_map(owned))
}

fn lines() -> impl Strategy<Value = Vec<Line>> {
    (prop::collection::vec(line(), 1..9), any::<bool>()).prop_map(|(mut lines, open)| {
        let last = lines.last_mut().unwrap();
        if open && !last.1.is_empty() {
            last.3.clear();
        }
        lines
    })
}

/// The change of the quoted lines.
#[derive(Clone, Debug)]
enum Disturbed {
    /// Every line loses so many characters of indentation.
    Dedented(usize),
    /// Every line gets a prefix.
    Indented(&'static str),
    /// Indentation in steps of two is rewritten in steps of this text.
    Rescaled(&'static str),
    /// The first line loses its indentation.
    Torn,
    /// Every line gets a number, from this one, and a separator.
    Numbered(u64, &'static str),
    /// Only the white space at the line ends changes.
    Kept,
}

fn disturbed() -> impl Strategy<Value = Disturbed> {
    prop_oneof![
        (1..5usize).prop_map(Disturbed::Dedented),
        prop_oneof![Just("  "), Just("\t"), Just(" ")].prop_map(Disturbed::Indented),
        prop_oneof![Just("\t"), Just("    "), Just("   "), Just(" ")].prop_map(Disturbed::Rescaled),
        Just(Disturbed::Torn),
        (0..9u64, prop_oneof![Just(" | "), Just("→"), Just("\t")])
            .prop_map(|(first, separator)| Disturbed::Numbered(first, separator)),
        Just(Disturbed::Kept),
    ]
}

impl Disturbed {
    /// Returns the text before a quoted line that replaces its indentation.
    fn front(&self, i: usize, indent: &str) -> String {
        match self {
            Self::Dedented(count) => indent.chars().skip(*count).collect(),
            Self::Indented(more) => format!("{more}{indent}"),
            Self::Rescaled(step) => step.repeat(indent.replace('\t', "  ").len() / 2),
            Self::Torn if i == 0 => String::new(),
            Self::Numbered(first, separator) => format!("{:>3}{separator}{indent}", first + i as u64),
            Self::Torn | Self::Kept => indent.to_owned(),
        }
    }
}

fn joined(lines: &[Line]) -> String {
    lines.iter().map(|(indent, says, behind, ending)| format!("{indent}{says}{behind}{ending}")).collect()
}

fn planned(content: &str, edit: FileEdit) -> Result<Plan, Refusal> {
    let files = vec![FileEntry { path: FilePath::from("f"), edits: vec![edit], ..FileEntry::default() }];
    let job = JobRequest { files, ..JobRequest::default() };
    let state = FileState::File { bytes: Arc::from(content.as_bytes()), mode: 0o644 };
    let world = WorkspaceSnapshot {
        files: [(FilePath::from("f"), state)].into_iter().collect(),
        ..WorkspaceSnapshot::default()
    };
    plan(&job, &world, &PlanOptions::default())
}

fn after(content: &str, plan: &Plan) -> String {
    let splices = plan.changes.first().map_or(&[][..], |change| &change.splices);
    String::from_utf8(apply(content.as_bytes(), splices).unwrap()).unwrap()
}

fn blank(line: &str) -> bool {
    line.trim().is_empty()
}

fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

/// Returns true if some mapping explains these pairs of lines. It tries all mappings. A line before them that lost its
/// indentation has the indentation `own` in the file, which begins with what the others got.
fn one_mapping(pairs: &[(&str, &str)], own: Option<&str>) -> bool {
    let pairs: Vec<(&str, &str)> =
        pairs.iter().filter(|(a, _)| !blank(a)).map(|(a, b)| (indent_of(a), indent_of(b))).collect();
    let Some((first, _)) = pairs.first() else { return false };
    let mut shifts = (0..=first.len())
        .filter_map(|cut| {
            let give = &first[..cut];
            let mut stand = pairs.iter().map(|(a, b)| b.strip_suffix(a.strip_prefix(give)?));
            let one = stand.next().unwrap();
            one.filter(|_| stand.all(|other| other == one))
        })
        .peekable();
    if shifts.peek().is_some() {
        return shifts.any(|got| own.is_none_or(|own| own.starts_with(got)));
    }
    let moved = |step: &str, deeper: i64| {
        let fits = |own: &str| {
            own.len() as i64 >= deeper * step.len() as i64 && own.chars().all(|c| step.contains(c))
        };
        own.is_none_or(fits)
    };
    let steps: Vec<String> = std::iter::once("\t".to_owned()).chain((1..40).map(|n| " ".repeat(n))).collect();
    // The largest step of which all consist is their greatest common divisor.
    let all_of = |step: &str| pairs.iter().all(|(a, _)| *a == step.repeat(a.len() / step.len()));
    let search = steps.iter().rev().find(|step| all_of(step));
    let depths: Vec<i64> =
        search.iter().flat_map(|step| pairs.iter().map(|(a, _)| (a.len() / step.len()) as i64)).collect();
    let scaled = depths.iter().any(|depth| *depth != depths[0])
        && ["\t", "  ", "   ", "    ", "        "].iter().any(|step| {
            (-9..9).filter(|deeper| moved(step, *deeper)).any(|deeper| {
                pairs.iter().zip(&depths).all(|((_, b), depth)| {
                    usize::try_from(depth + deeper).is_ok_and(|depth| *b == step.repeat(depth))
                })
            })
        });
    // Where the file has tabs, they tell how wide a step is, also where the quoted lines are two apart.
    let uneven = pairs.iter().any(|(a, _)| a.len() != first.len());
    let tabbed = uneven
        && steps.iter().filter(|step| !step.contains('\t') && all_of(step)).any(|step| {
            let deeper = |(a, b): &(&str, &str)| {
                (*b == "\t".repeat(b.len())).then(|| b.len() as i64 - (a.len() / step.len()) as i64)
            };
            let one = deeper(&pairs[0]);
            one.is_some_and(|deeper| moved("\t", deeper)) && pairs.iter().all(|pair| deeper(pair) == one)
        });
    scaled || tabbed
}

/// The lines without numbers, if all bear one.
fn unnumbered(quoted: &[String]) -> Option<Vec<String>> {
    let mut last = None;
    let mut blanks = 0;
    let mut spaced = true;
    let mut list = Vec::new();
    for line in quoted {
        if blank(line) {
            blanks += 1;
            list.push((false, line.clone()));
            continue;
        }
        let at = line.find(['|', '→', '\t'])?;
        let number: u64 = line[..at].trim().parse().ok()?;
        if last.is_some_and(|last| number != last + 1 && number != last + 1 + blanks) {
            return None;
        }
        (last, blanks) = (Some(number), 0);
        let mut rest = line[at..].chars();
        let separator = rest.next()?;
        spaced &= separator == '|' && (rest.as_str().is_empty() || rest.as_str().starts_with(' '));
        list.push((true, rest.as_str().to_owned()));
    }
    let strip = |(numbered, line): (bool, String)| {
        let gap = if numbered && spaced { " " } else { "" };
        line.strip_prefix(gap).unwrap_or(&line).to_owned()
    };
    let says = list.iter().any(|(_, line)| !blank(line));
    says.then(|| list.into_iter().map(strip).collect())
}

/// Returns the starts of the windows of a file that equal the quoted lines at a rung.
fn places(file: &[Line], quoted: &[String], rung: &str) -> Vec<usize> {
    let wanted = if rung == "numbered" { unnumbered(quoted) } else { Some(quoted.to_vec()) };
    let Some(wanted) = wanted else { return Vec::new() };
    let whole: Vec<String> = file.iter().map(|line| joined(std::slice::from_ref(line))).collect();
    let stripped: Vec<&str> = whole.iter().map(|line| line.trim_end_matches(['\r', '\n'])).collect();
    let plain = |at: usize| file[at..at + wanted.len() - 1].iter().all(|line| line.3 == "\n");
    let fits = |at: usize, window: &[&str]| match rung {
        "exact" => plain(at) && window.iter().zip(&wanted).all(|(a, b)| a == b),
        "eol" => window.iter().zip(&wanted).all(|(a, b)| a == b),
        "indent" => {
            let equal = window.iter().zip(&wanted).all(|(a, b)| a.trim() == b.trim());
            let pairs: Vec<(&str, &str)> =
                wanted.iter().map(String::as_str).zip(window.iter().copied()).collect();
            let lost = indent_of(pairs[0].0).is_empty() && !indent_of(pairs[0].1).is_empty();
            let torn = !blank(pairs[0].0) && lost;
            equal
                && (one_mapping(&pairs, None)
                    || (torn && one_mapping(&pairs[1..], Some(indent_of(pairs[0].1)))))
        }
        _ => window.iter().zip(&wanted).all(|(a, b)| a.trim_end() == b.trim_end()),
    };
    // Blank lines around lines with the same indentation do not identify another place.
    let first = wanted.iter().position(|line| !blank(line)).unwrap_or(0);
    let last = wanted.iter().rposition(|line| !blank(line)).unwrap_or(0);
    let solid = &wanted[first..=last];
    let own = |window: &[&str]| window.iter().zip(solid).all(|(a, b)| a.trim_end() == b.trim_end());
    if rung == "indent" && solid.len() < wanted.len() && stripped.windows(solid.len()).any(own) {
        return Vec::new();
    }
    let windows = stripped.windows(wanted.len()).enumerate();
    windows.filter(|(at, window)| fits(*at, window)).map(|(at, _)| at).collect()
}

const RUNGS: [&str; 5] = ["exact", "eol", "trailing", "indent", "numbered"];

/// Counts the places of a text in another, anywhere in its lines but between `\r` and `\n`.
fn anywhere(content: &str, old: &str) -> usize {
    let begins = |at: usize| {
        content[at..].starts_with(old) && !(old.starts_with('\n') && content[..at].ends_with('\r'))
    };
    content.char_indices().filter(|(at, _)| begins(*at)).count()
}

/// Returns the first rung that finds a window, and all windows that it finds. The number of the first line decides
/// between them.
fn found(
    rungs: &[&'static str],
    file: &[Line],
    quoted: &[String],
    first_number: Option<u64>,
) -> Option<(&'static str, Vec<usize>)> {
    let (rung, all) = rungs
        .iter()
        .map(|rung| (*rung, places(file, quoted, rung)))
        .find(|(_, places)| !places.is_empty())?;
    let near = first_number
        .filter(|_| rung == "numbered")
        .and_then(|line| usize::try_from(line).ok()?.checked_sub(1));
    let meant = all.iter().find(|at| near == Some(**at)).map(|at| vec![*at]);
    Some((rung, meant.unwrap_or(all)))
}

/// A window of the file with its words changed, and with what the file has where blank lines at its ends are shared.
fn renamed(file: &[Line], at: usize, quoted: &[String]) -> Vec<Line> {
    let mut lines = file.to_vec();
    let head = quoted.iter().take_while(|line| blank(line)).count();
    let tail = quoted.iter().rev().take_while(|line| blank(line)).count();
    for (i, line) in quoted.iter().enumerate() {
        let (indent, says, _, ending) = lines[at + i].clone();
        let shared = i < head || i + tail >= quoted.len();
        lines[at + i] = match (says.is_empty(), shared) {
            (false, _) => (indent, says.to_uppercase(), String::new(), ending),
            (true, true) => continue,
            (true, false) => (line.clone(), String::new(), String::new(), ending),
        };
    }
    lines
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// The ladder finds the same place as the first rung with a candidate in the naive model. Only that place is
    /// changed, and the new lines are indented as the file is.
    #[test]
    fn the_ladder_finds_what_a_naive_model_finds(
        file in lines(), start in 0..8usize, count in 1..4usize, how in disturbed(),
        behind in prop::collection::vec(prop_oneof![3 => Just(""), 1 => Just("  ")], 4), ended in any::<bool>(),
        whole in any::<bool>(),
    ) {
        let start = start % file.len();
        let window = &file[start..file.len().min(start + count)];
        let front = |i: usize, line: &Line| how.front(i, &line.0);
        let quoted: Vec<String> =
            window.iter().enumerate().map(|(i, line)| format!("{}{}{}", front(i, line), line.1, behind[i])).collect();
        let new: Vec<String> = window
            .iter()
            .enumerate()
            .map(|(i, line)| if line.1.is_empty() { quoted[i].clone() } else { format!("{}{}", front(i, line), line.1.to_uppercase()) })
            .collect();
        let text = |lines: &[String]| {
            let closed = ended || lines.last().unwrap().is_empty();
            lines.join("\n") + if closed { "\n" } else { "" }
        };
        let (content, old) = (joined(&file), text(&quoted));
        let edit = FileEdit {
            op: "replace".to_owned(), old: Some(old.clone()), new: Some(text(&new)),
            whole_lines: Some(whole), loosest: Some("numbered".to_owned()), ..FileEdit::default()
        };
        if !whole {
            // Both first rungs look inside lines, and a place counts with any line breaks.
            let folded = content.replace("\r\n", "\n");
            let count = anywhere(&content, &old).max(anywhere(&folded, &old));
            if count > 0 {
                let outcome = planned(&content, edit);
                prop_assert_eq!(outcome.err().and_then(|error| error.found), (count > 1).then_some(count as u64));
                return Ok(());
            }
        }
        let number = if let Disturbed::Numbered(first, _) = how { Some(first) } else { None };
        match (found(&RUNGS[if whole { 0 } else { 2 }..], &file, &quoted, number), planned(&content, edit)) {
            (None, outcome) => prop_assert_eq!(outcome.unwrap_err().code, ErrorCode::NotFound),
            (Some((rung, places)), Ok(plan)) => {
                prop_assert_eq!(places.len(), 1, "{:?}", places);
                let outcome = &plan.files[0].edits[0];
                prop_assert_eq!(outcome.rung.as_deref(), Some(rung));
                let lines = outcome.lines.unwrap();
                prop_assert_eq!(lines.0, places[0] as u64 + 1);
                // Without its break, a blank last line shows in no range.
                prop_assert!(!whole || lines.1 == (places[0] + quoted.len()) as u64);
                let shown = if rung == "numbered" { unnumbered(&quoted).unwrap() } else { quoted };
                prop_assert_eq!(after(&content, &plan), joined(&renamed(&file, places[0], &shown)));
            }
            // The place is known, and the new lines may be the file's own or follow from the quoted ones.
            (Some((rung, places)), Err(error)) if !error.readings.is_empty() => {
                prop_assert_eq!(error.code, ErrorCode::Ambiguous);
                prop_assert_eq!((rung, places.len(), error.line), ("indent", 1, Some(places[0] as u64 + 1)));
                let shown: Vec<&str> = error.readings.iter().map(|reading| reading.text.as_str()).collect();
                prop_assert!(shown.len() > 1 && shown[0] != shown[1], "{:?}", shown);
            }
            (Some((_, places)), Err(error)) => {
                prop_assert_eq!(error.code, ErrorCode::Ambiguous);
                prop_assert!(places.len() > 1 && error.found == Some(places.len() as u64), "{:?}", places);
            }
        }
    }
}
