//! Remembers what subscribers were told last of each path, so that one change is told once. It knows no
//! clock: content decides, so that a path that is written back to what it was is told again.

use std::collections::{HashMap, VecDeque};

use editd_proto::ids::Version;
use editd_proto::message::{ChangeEvent, ChangeKind};
use editd_proto::path::WirePath;

use crate::limits;

/// The last version told of each of the latest `limits::WATCH_ECHOES` paths.
#[derive(Debug, Default)]
pub struct Echo {
    told: HashMap<WirePath, Option<Version>>,
    order: VecDeque<WirePath>,
}

impl Echo {
    /// The daemon itself wrote a path (or removed it, with `None`) and has told so.
    pub fn wrote(&mut self, path: &WirePath, version: Option<&Version>) {
        self.tell(path, version);
    }

    /// Whether an event is news; if so, it is remembered as told. Forgetting the oldest path costs at most a
    /// doubled event.
    pub fn is_news(&mut self, event: &ChangeEvent) -> bool {
        let Some(path) = &event.path else { return true };
        let version = match event.change {
            ChangeKind::Removed => None,
            ChangeKind::Created | ChangeKind::Changed => event.version.as_ref(),
            ChangeKind::Overflow => return true,
        };
        self.tell(path, version)
    }

    fn tell(&mut self, path: &WirePath, version: Option<&Version>) -> bool {
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
