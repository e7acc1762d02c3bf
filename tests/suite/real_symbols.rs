//! Every edit of symbols in real files; `cargo run --release -p editd-tests --example symbols` tests many more.

use editd_tests::symbols::{SymbolResults, files};

/// Files of each language that are looked at here.
const FILES: usize = 12;

#[test]
fn symbols_of_real_files_keep_what_is_theirs() {
    let all = files(&[], None);
    let mut judged = SymbolResults::default();
    let mut from = 0;
    while let Some((_, language)) = all.get(from) {
        let count = all[from..].iter().take_while(|(_, one)| one == language).count();
        let some = all[from..from + count].iter().step_by(count.div_ceil(FILES).max(1));
        some.for_each(|(path, language)| judged.judge(path, *language, 4));
        from += count;
    }
    if judged.files() < FILES as u64 {
        println!("cargo's registry folder has {} files whose symbols are known; skipped", judged.files());
        return;
    }
    assert!(judged.faults().is_empty(), "{:#?}\n{judged}", judged.faults());
    for what in ["delete leaves no syntax error", "insert_after of a neighbour's copy leaves no syntax error"]
    {
        let (tried, failed) = judged.of(what);
        assert!(failed * 20 <= tried, "{what}: {failed} of {tried} failed\n{judged}");
    }
}
