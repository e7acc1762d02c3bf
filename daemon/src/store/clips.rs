//! Counts clipboards by their owners, for the limits. It changes nothing.

use std::collections::BTreeMap;

use super::index::key;
use super::index::row::{self, ClipRow};
use super::log::frame::Checksum;
use super::shared::StoreParts;
use super::{ClipboardHoldings, ClipboardOwner, ClipboardUsage, Store, StoreError};

/// The most owners that are returned.
const OWNERS: usize = 3;

/// A clipboard of one owner.
struct HeldClip {
    key: Vec<u8>,
    bytes: u64,
    /// The session that set a clipboard of the workspace.
    setter: Option<Checksum>,
}

impl Store {
    /// Returns the number and size of clipboards: now, and after the session has written these (name and bytes).
    pub fn clips_held(
        &self,
        session: &str,
        written: &[(&str, usize)],
    ) -> Result<[ClipboardHoldings; 2], StoreError> {
        let setter = Some(key::session_digest(session));
        let fresh = written.iter().map(|(name, bytes)| (key::clip(session, name), *bytes as u64));
        let fresh: BTreeMap<Vec<u8>, u64> = fresh.collect();
        let (own, shared) = (key::clips(session), key::clips(""));
        let add = |held: &mut ClipboardHoldings, clip: &HeldClip| {
            held.all.add(clip.bytes);
            if clip.key.starts_with(&shared) {
                held.workspace.add(clip.bytes);
                if clip.setter == setter {
                    held.shared.add(clip.bytes);
                }
            } else if clip.key.starts_with(&own) {
                held.session.add(clip.bytes);
            }
        };
        let (mut before, mut after) = (ClipboardHoldings::default(), ClipboardHoldings::default());
        self.shared.each_clip(&mut |clip| {
            add(&mut before, &clip);
            if !fresh.contains_key(&clip.key) {
                add(&mut after, &clip);
            }
        })?;
        for (key, bytes) in fresh {
            add(&mut after, &HeldClip { key, bytes, setter });
        }
        Ok([before, after])
    }

    /// Returns the owners that have the most clipboards, by bytes or by number: of all, or only of the workspace's.
    pub fn clip_owners(&self, by_bytes: bool, only_shared: bool) -> Result<Vec<ClipboardOwner>, StoreError> {
        let shared = key::clips("");
        let mut owners = BTreeMap::<(Vec<u8>, Option<Checksum>), (ClipboardUsage, Vec<u8>)>::new();
        self.shared.each_clip(&mut |clip| {
            if only_shared && !clip.key.starts_with(&shared) {
                return;
            }
            let owner = clip.key.get(..shared.len()).unwrap_or_default().to_vec();
            let (held, one) = owners.entry((owner, clip.setter)).or_default();
            held.add(clip.bytes);
            *one = clip.key;
        })?;
        let mut most: Vec<(ClipboardUsage, Vec<u8>)> = owners.into_values().collect();
        most.sort_by_key(|(held, _)| std::cmp::Reverse(if by_bytes { held.bytes } else { held.number }));
        most.truncate(OWNERS);
        let mut named = Vec::new();
        for (usage, one) in most {
            let clip = self.shared.held(&one, |value| self.shared.clip_at(value).map(Some))?;
            // It may have been removed meanwhile.
            if let Some(clip) = clip {
                named.push(ClipboardOwner { session: clip.session, shared: one.starts_with(&shared), usage });
            }
        }
        Ok(named)
    }
}

impl StoreParts {
    /// Calls `see` with every clipboard.
    fn each_clip(&self, see: &mut dyn FnMut(HeldClip)) -> Result<(), StoreError> {
        self.rows.down(&[key::CLIP], &key::behind(&[key::CLIP]), &mut |key, value| {
            let row: ClipRow = row::rest(value)?;
            see(HeldClip { key: key.to_vec(), bytes: row.size, setter: row.setter });
            Ok(true)
        })
    }
}
