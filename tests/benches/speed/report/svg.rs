//! The plot: for each row a bar of the daemon and one of the bound, and a mark for a flush, on a logarithmic scale.

use std::fmt::Write as _;

use crate::rows::{Measured, Row};
use crate::server::Program;

/// Pixels: the width of the names, of a decade, the height of a row, of a bar, and around everything.
const NAMES: f64 = 380.0;
const DECADE: f64 = 130.0;
const ROW: f64 = 30.0;
const BAR: f64 = 10.0;
const MARGIN: f64 = 16.0;
/// The title and the legend.
const HEAD: f64 = 62.0;

/// Decades of the scale: from 10 µs to 10 s.
const FIRST: i32 = 1;
const LAST: i32 = 7;

const STYLE: &str = "<style>
.page { fill: #ffffff; stroke: #d0d7de }
text { font: 13px ui-sans-serif, system-ui, sans-serif; fill: #1f2328 }
.title { font-weight: bold }
.small { font-size: 11px; fill: #59636e }
.grid { stroke: #d0d7de }
.daemon { fill: #0969da }
.bound { fill: #afb8c1 }
.flush { stroke: #cf222e; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
.page { fill: #0d1117; stroke: #30363d }
text { fill: #e6edf3 }
.small { fill: #9198a1 }
.grid { stroke: #30363d }
.daemon { fill: #4493f8 }
.bound { fill: #656c76 }
.flush { stroke: #ff7b72 }
}
</style>
";

/// Returns the text of the file.
pub(super) fn text(found: &Measured) -> String {
    let rows: Vec<&Row> = found.rows.iter().filter(|row| row.median(Program::Daemon).is_some()).collect();
    let width = MARGIN * 2.0 + NAMES + DECADE * f64::from(LAST - FIRST) + 60.0;
    let bottom = HEAD + ROW * rows.len() as f64;
    let height = bottom + 34.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\">\n<title>Times of edits</title>\n{STYLE}\
         <rect class=\"page\" width=\"{width}\" height=\"{height}\" rx=\"8\"/>\n"
    );
    let system = &found.file_system;
    let title = format!("Times of edits, p50, on {} (journal: {})", system.kind, system.journal);
    // Writing to a String cannot fail.
    let _ = writeln!(out, "<text class=\"title\" x=\"{MARGIN}\" y=\"26\">{}</text>", escaped(&title));
    legend(&mut out);
    for decade in FIRST..=LAST {
        let (x, micros) = (place(10_f64.powi(decade)), 10_f64.powi(decade));
        let _ =
            writeln!(out, "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{HEAD}\" y2=\"{bottom}\"/>");
        let label = time(micros);
        let _ = writeln!(
            out,
            "<text class=\"small\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
            bottom + 18.0
        );
    }
    for (nth, row) in rows.iter().enumerate() {
        put_row(&mut out, row, HEAD + ROW * nth as f64);
    }
    out.push_str("</svg>\n");
    out
}

fn legend(out: &mut String) {
    for (nth, (class, name)) in [("daemon", "editd"), ("bound", "bound")].into_iter().enumerate() {
        let x = MARGIN + 90.0 * nth as f64;
        let _ = writeln!(out, "<rect class=\"{class}\" x=\"{x}\" y=\"38\" width=\"14\" height=\"{BAR}\"/>");
        let _ = writeln!(out, "<text class=\"small\" x=\"{}\" y=\"47\">{name}</text>", x + 20.0);
    }
    let x = MARGIN + 180.0;
    let _ = writeln!(out, "<line class=\"flush\" x1=\"{x}\" x2=\"{x}\" y1=\"36\" y2=\"50\"/>");
    let _ = writeln!(out, "<text class=\"small\" x=\"{}\" y=\"47\">one flush</text>", x + 8.0);
}

fn put_row(out: &mut String, row: &Row, y: f64) {
    let _ = writeln!(out, "<text x=\"{MARGIN}\" y=\"{:.1}\">{}</text>", y + 19.0, escaped(&row.name));
    let zero = place(10_f64.powi(FIRST));
    for (program, class, at) in [(Program::Daemon, "daemon", y + 4.0), (Program::Bound, "bound", y + 15.0)] {
        let Some(micros) = row.median(program) else { continue };
        let end = place(micros);
        let _ = writeln!(
            out,
            "<rect class=\"{class}\" x=\"{zero}\" y=\"{at:.1}\" width=\"{:.1}\" height=\"{BAR}\"/>",
            end - zero
        );
        let _ = writeln!(
            out,
            "<text class=\"small\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            end + 4.0,
            at + 9.0,
            time(micros)
        );
    }
    if let Some(flush) = row.flush.median().filter(|_| !row.by_hand.0.is_empty()) {
        let x = place(flush);
        let _ = writeln!(
            out,
            "<line class=\"flush\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{:.1}\" y2=\"{:.1}\"/>",
            y + 2.0,
            y + 27.0
        );
    }
}

/// Returns the column of a time.
fn place(micros: f64) -> f64 {
    let decades = micros.max(10_f64.powi(FIRST)).log10() - f64::from(FIRST);
    MARGIN + NAMES + DECADE * decades
}

fn time(micros: f64) -> String {
    match micros {
        few if few < 1_000.0 => format!("{few:.0} µs"),
        some if some < 10_000.0 => format!("{:.1} ms", some / 1e3),
        many if many < 1_000_000.0 => format!("{:.0} ms", many / 1e3),
        _ => format!("{:.1} s", micros / 1e6),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
