//! Formats the changed bytes of a file in hexadecimal digits, for `show --bytes`.

use editd_proto::FilePath;
use editd_proto::ids::JobId;

use super::OutputStyle;
use super::letters::TextStyle;

/// Bytes in one line.
const LINE: usize = 16;

/// The most bytes of each side that are shown.
const MOST: usize = 4096;

/// One side of a change: no file, or its bytes; the error says why they are not known.
pub type Side = Result<Option<Vec<u8>>, String>;

/// Returns the ranges in which two contents differ: one range, from the first to the last differing byte, that begins at
/// the start of a line.
fn changed(old: &[u8], new: &[u8]) -> (usize, usize, usize) {
    let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (old.len() - same, new.len() - same);
    let tail = old.iter().rev().zip(new.iter().rev()).take(old_rest.min(new_rest));
    let tail = tail.take_while(|(a, b)| a == b).count();
    (same / LINE * LINE, old.len() - tail, new.len() - tail)
}

/// Returns the change of a file.
pub fn change(path: &FilePath, job: JobId, old: &Side, new: &Side, style: &OutputStyle) -> String {
    let told = |side: &Side| match side {
        Ok(None) => "no file".to_owned(),
        Ok(Some(bytes)) if bytes.len() == 1 => "1 byte".to_owned(),
        Ok(Some(bytes)) => format!("{} bytes", bytes.len()),
        Err(why) => format!("not known ({why})"),
    };
    let heading = format!("{}  {}, then {}", path.display(), told(old), told(new));
    let mut out = format!("\n{}\n", style.paint(TextStyle::Strong, &heading));
    let of = |side: &Side| side.as_ref().ok().and_then(Clone::clone);
    let (old, new) = (of(old), of(new));
    let (from, old_end, new_end) = match (&old, &new) {
        (Some(old), Some(new)) if old == new => return out,
        (Some(old), Some(new)) => changed(old, new),
        (old, new) => (0, old.as_ref().map_or(0, Vec::len), new.as_ref().map_or(0, Vec::len)),
    };
    for (sign, bytes, end, flag) in [('-', old, old_end, " --before"), ('+', new, new_end, "")] {
        let Some(part) = bytes.as_deref().and_then(|bytes| bytes.get(from..end)) else { continue };
        for (nth, line) in part.chunks(LINE).enumerate().take(MOST / LINE) {
            let line = dumped(sign, from + nth * LINE, line);
            let colour = if sign == '-' { TextStyle::Bad } else { TextStyle::Good };
            out.push_str(&style.paint(colour, &line));
            out.push('\n');
        }
        if part.len() > MOST {
            out.push_str(&format!(
                "  {} more bytes: `editctl cat {}@{job}{flag}`\n",
                part.len() - MOST,
                path.display()
            ));
        }
    }
    out
}

/// Returns one line: sign, offset, bytes, and their ASCII characters.
fn dumped(sign: char, offset: usize, bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let shown = |byte: &u8| if matches!(byte, b' '..=b'~') { char::from(*byte) } else { '.' };
    let text: String = bytes.iter().map(shown).collect();
    format!("{sign}{offset:08x}  {:<47}  |{text}|", digits.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain() -> OutputStyle {
        OutputStyle { colour: false, ..OutputStyle::of_this_terminal(false) }
    }

    #[test]
    fn the_lines_that_differ_are_shown_with_their_offsets() {
        let with = |at: usize, byte: u8| [vec![0; at], vec![byte], vec![0; 39 - at]].concat();
        let (old, new) = (with(20, 0xff), with(21, b'a'));
        let shown = change(&"a.bin".into(), JobId(7), &Ok(Some(old)), &Ok(Some(new)), &plain());
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(
            lines,
            [
                "",
                "a.bin  40 bytes, then 40 bytes",
                "-00000010  00 00 00 00 ff 00                                |......|",
                "+00000010  00 00 00 00 00 61                                |.....a|",
            ]
        );
    }

    #[test]
    fn much_is_cut_with_the_way_to_get_all_of_it() {
        let style = plain();
        let large = vec![1_u8; MOST + 5];
        let shown = change(&"a".into(), JobId(7), &Ok(None), &Ok(Some(large.clone())), &style);
        assert!(shown.contains("no file, then 4101 bytes"), "{shown}");
        assert!(shown.ends_with("  5 more bytes: `editctl cat a@7`\n"), "{shown}");
        let shown = change(&"a".into(), JobId(7), &Ok(Some(large)), &Err("it is gone".into()), &style);
        assert!(shown.contains("then not known (it is gone)") && shown.contains("a@7 --before"), "{shown}");
    }
}
