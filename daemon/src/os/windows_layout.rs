//! Reads structures that Windows returns as bytes: lists of named streams, and access control lists. Pure.

/// The offset of the name in an entry of a list of streams.
const NAME: usize = 24;
/// Bytes of the head of a security descriptor, and of an access control list in it.
const HEAD: usize = 20;
const LIST_HEAD: usize = 8;
/// The flag of a descriptor that has offsets and no pointers.
const SELF_RELATIVE: u16 = 0x8000;

/// Returns the names of the named streams of a file, such as `:Zone.Identifier:$DATA`, with their bytes, from the list that the
/// system returned. The content itself is left out, and so is a name that is not Unicode.
pub fn named_streams(list: &[u8]) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    let mut rest = list;
    while let Some((next, length)) = number(rest, 0).zip(number(rest, 4)) {
        let size = rest.get(8..16).and_then(|size| Some(u64::from_le_bytes(size.try_into().ok()?)));
        let name = rest.get(NAME..NAME.saturating_add(length)).map(|name| {
            let units =
                name.chunks_exact(2).filter_map(|unit| Some(u16::from_le_bytes(unit.try_into().ok()?)));
            String::from_utf16(&units.collect::<Vec<u16>>())
        });
        if let (Some(size), Some(Ok(name))) = (size, name)
            && !name.is_empty()
            && name != "::$DATA"
        {
            found.push((name, size));
        }
        match rest.get(next..) {
            Some(after) if next > 0 => rest = after,
            _ => break,
        }
    }
    found
}

/// Returns true if these bytes are a security descriptor that has an access control list and nothing else, all within the
/// bytes. The system checks the entries of the list.
pub fn is_access_list(bytes: &[u8]) -> bool {
    let control = bytes.get(2..4).and_then(|two| Some(u16::from_le_bytes(two.try_into().ok()?)));
    let offsets = [4, 8, 12, 16].map(|at| number(bytes, at));
    let [Some(0), Some(0), Some(0), Some(list)] = offsets else { return false };
    let size = || bytes.get(list.checked_add(2)?..list.checked_add(4)?);
    let ends = || Some(list + usize::from(u16::from_le_bytes(size()?.try_into().ok()?)));
    let fits = list >= HEAD && ends().is_some_and(|end| end >= list + LIST_HEAD && end <= bytes.len());
    control.is_some_and(|control| control & SELF_RELATIVE != 0) && (list == 0 || fits)
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let four = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
    usize::try_from(u32::from_le_bytes(four)).ok()
}

#[cfg(test)]
#[expect(clippy::indexing_slicing, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    fn entry(name: &str, size: u64, is_last: bool) -> Vec<u8> {
        let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let whole = (NAME + name.len()).next_multiple_of(8);
        let next = if is_last { 0 } else { u32::try_from(whole).unwrap_or(0) };
        let length = u32::try_from(name.len()).unwrap_or(0);
        let mut bytes = [next.to_le_bytes(), length.to_le_bytes()].concat();
        bytes.extend(size.to_le_bytes().into_iter().chain([0; 8]).chain(name));
        bytes.resize(whole, 0);
        bytes
    }

    #[test]
    fn the_named_streams_of_a_list_are_found() {
        let list = [
            entry("::$DATA", 7, false),
            entry(":Zone.Identifier:$DATA", 26, false),
            entry(":ä:$DATA", 0, true),
        ];
        let all = [(":Zone.Identifier:$DATA".to_owned(), 26), (":ä:$DATA".to_owned(), 0)];
        assert_eq!(named_streams(&list.concat()), all);
        assert_eq!(named_streams(&[]), []);
        assert_eq!(named_streams(&[0; 4096]), [], "room that was not filled");
    }

    #[test]
    fn no_bytes_are_read_beyond_the_list() {
        let list = [entry(":a:$DATA", 1, false), entry(":b:$DATA", 2, true)].concat();
        for length in 0..list.len() {
            assert!(named_streams(&list[..length]).len() <= 2);
        }
        let mut far = entry(":a:$DATA", 1, false);
        far[..8].fill(0xFF);
        assert_eq!(named_streams(&far), []);
    }

    #[test]
    fn a_descriptor_with_its_list_alone_is_taken() {
        let mut bytes = vec![0; 32];
        bytes[0] = 1;
        bytes[2..4].copy_from_slice(&0x8004_u16.to_le_bytes());
        assert!(is_access_list(&bytes), "everybody may do everything");
        bytes[16] = 20;
        bytes[22] = 12;
        assert!(is_access_list(&bytes));
        for (at, wrong) in [(22, 13), (22, 7), (16, 19), (16, 31), (4, 20), (12, 20), (3, 0), (19, 0xFF)] {
            let mut bytes = bytes.clone();
            bytes[at] = wrong;
            assert!(!is_access_list(&bytes), "{at}");
        }
        assert!((0..32).all(|length| !is_access_list(&bytes[..length])));
    }
}
