//! Changes of a file's lines, as an author or others make them. It knows no diff.

use fastrand::Rng;

/// The lines with this many changes: lines that come, go, are replaced, doubled or moved.
pub fn changed(lines: &[String], spots: usize, mark: &str, rng: &mut Rng) -> Vec<String> {
    let mut lines = lines.to_vec();
    for number in 0..spots {
        let at = rng.usize(0..=lines.len());
        let end = (at + rng.usize(1..4)).min(lines.len());
        match rng.u8(0..10) {
            0..=2 if at < lines.len() => lines[at] = altered(&lines[at], mark, number),
            3..=5 => {
                let like = lines.get(at).or(lines.last()).cloned().unwrap_or_default();
                let indent: String = like.chars().take_while(|letter| [' ', '\t'].contains(letter)).collect();
                let come = (0..rng.usize(1..4)).map(|line| format!("{indent}{mark} {number}.{line};\n"));
                let come: Vec<String> = come.collect();
                lines.splice(at..at, come);
            }
            6 => drop(lines.drain(at..end)),
            7 => {
                let copy = lines[at..end].to_vec();
                let to = rng.usize(0..=lines.len());
                lines.splice(to..to, copy);
            }
            8 => {
                let cut: Vec<String> = lines.drain(at..end).collect();
                let to = rng.usize(0..=lines.len());
                lines.splice(to..to, cut);
            }
            _ => lines.insert(at, "\n".to_owned()),
        }
    }
    // Only the last line may lack its break.
    let last = lines.len().saturating_sub(1);
    for line in lines.iter_mut().take(last).filter(|line| !line.ends_with('\n')) {
        line.push('\n');
    }
    lines
}

/// A line with another word in it.
fn altered(line: &str, mark: &str, number: usize) -> String {
    let text = line.trim_end_matches('\n');
    match text.rsplit_once(' ') {
        Some((head, tail)) if !head.trim().is_empty() => format!("{head} {mark}{number} {tail}\n"),
        _ => format!("{text} {mark}{number}\n"),
    }
}
