//! The file of one content: a header of 16 bytes, then zstd. Pure.

use editd_proto::ids::ContentHash;
use editd_proto::limits::FILE;

const MAGIC: [u8; 8] = *b"editdc\x00\x01";

/// Bytes before the compressed content.
pub(super) const HEADER: usize = 16;

/// Returns the file for a content; `None` if compression fails.
pub(super) fn pack(content: &[u8]) -> Option<Vec<u8>> {
    let packed = zstd::bulk::compress(content, 1).ok()?;
    let mut file = Vec::with_capacity(packed.len() + HEADER);
    file.extend_from_slice(&MAGIC);
    file.extend_from_slice(&(content.len() as u64).to_le_bytes());
    file.extend_from_slice(&packed);
    Some(file)
}

/// Returns the size of the content from the start of its file.
pub(super) fn unpacked_size(head: &[u8]) -> Option<usize> {
    let (magic, rest) = head.split_first_chunk::<8>()?;
    let len = usize::try_from(u64::from_le_bytes(*rest.first_chunk()?)).ok()?;
    (*magic == MAGIC && len <= FILE).then_some(len)
}

/// Returns the content of a file if it has this hash.
pub(super) fn unpack(file: &[u8], hash: ContentHash) -> Option<Vec<u8>> {
    let len = unpacked_size(file)?;
    let packed = file.get(HEADER..)?;
    let content = zstd::bulk::decompress(packed, len).ok()?;
    (blake3::hash(&content).as_bytes() == hash.as_bytes()).then_some(content)
}
