//! Remembers the version of each path that subscribers were last told, so that each change is reported once. It knows
//! no clock: the content decides, so a path that is changed back is reported again.

use std::collections::{HashMap, VecDeque};

use editd_proto::ids::Version;
use editd_proto::message::{ChangeEvent, ChangeKind};
use editd_proto::path::FilePath;

use crate::limits;

/// The last reported version of each of the latest `limits::WATCH_ECHOES` paths.
#[derive(Debug, Default)]
pub struct ReportedVersions {
    told: HashMap<FilePath, Option<Version>>,
    order: VecDeque<FilePath>,
}

impl ReportedVersions {
    /// Notes that the daemon itself wrote a path (or removed it, with `None`) and reported it.
    pub fn wrote(&mut self, path: &FilePath, version: Option<&Version>) {
        self.tell(path, version);
    }

    /// Returns true if an event is new, and remembers it as reported. Forgetting the oldest path costs at most a
    /// duplicate event.
    pub fn is_news(&mut self, event: &ChangeEvent) -> bool {
        let Some(path) = &event.path else { return true };
        let version = match event.change {
            ChangeKind::Removed => None,
            ChangeKind::Created | ChangeKind::Changed => event.version.as_ref(),
            ChangeKind::Overflow | ChangeKind::Damage | ChangeKind::Check => return true,
        };
        self.tell(path, version)
    }

    fn tell(&mut self, path: &FilePath, version: Option<&Version>) -> bool {
        match self.told.get_mut(path) {
            Some(told) if told.as_ref() == version => false,
            Some(told) => {
                *told = version.cloned();
                true
            }
            None => {
                if self.order.len() >= limits::WATCH_ECHOES
                    && let Some(oldest) = self.order.pop_front()
                {
                    self.told.remove(&oldest);
                }
                self.order.push_back(path.clone());
                self.told.insert(path.clone(), version.cloned());
                true
            }
        }
    }
}
