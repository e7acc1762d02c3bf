//! Writes the picture of a terminal session that the README shows: `cargo run -p editd-tests --example session` runs the
//! session with the built `editd` and `editctl` and draws what they print. A test compares the picture with a run.

use editd_tests::picture;

fn main() -> std::io::Result<()> {
    let lines = picture::session();
    std::fs::write(picture::path(), picture::svg(&lines))?;
    println!("{}: {} lines", picture::path().display(), lines.len());
    Ok(())
}
