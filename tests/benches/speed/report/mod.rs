//! The report: a table on the terminal, JSON, and a plot. It measures nothing.

mod figures;
mod json;
mod svg;
mod table;

use std::fs;

use crate::options::BenchOptions;
use crate::rows::Measured;

/// Prints the table, and writes `speed.json` and `speed.svg` into the folder of the options.
pub(crate) fn write(options: &BenchOptions, found: &Measured) {
    table::print(found);
    fs::create_dir_all(&options.out).unwrap_or_else(|e| panic!("{}: {e}", options.out.display()));
    for (name, text) in [("speed.json", json::text(options, found)), ("speed.svg", svg::text(found))] {
        let path = options.out.join(name);
        fs::write(&path, text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        println!("written: {}", path.display());
    }
}
