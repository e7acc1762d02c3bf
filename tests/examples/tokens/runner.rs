//! A daemon and its client, as their users run them: jobs go in through `editctl`, replies are what it prints.

use std::io::Write;
use std::process::Stdio;

use editd_tests::commits::CommitChange;
use editd_tests::test_daemon::TestDaemon;
use serde_json::Value;

/// A reply as text and as JSON.
pub(crate) struct ReplyForms {
    pub(crate) text: String,
    pub(crate) json: String,
}

/// One workspace.
pub(crate) struct TokenRunner {
    daemon: TestDaemon,
    sessions: usize,
}

impl TokenRunner {
    pub(crate) fn new() -> Self {
        Self { daemon: TestDaemon::started(), sessions: 0 }
    }

    /// A session that has read nothing.
    pub(crate) fn session(&mut self) -> String {
        self.sessions += 1;
        format!("s{}", self.sessions)
    }

    /// Puts a file into the workspace, behind the daemon's back.
    pub(crate) fn put(&self, path: &str, text: &str) {
        let file = self.daemon.workspace().join(path);
        let folder = file.parent().expect("a file lies in a folder");
        std::fs::create_dir_all(folder).expect("a folder can be made");
        std::fs::write(file, text).expect("a file can be written");
    }

    /// Runs `editctl`; returns what it prints on both sides.
    pub(crate) fn editctl(&self, session: &str, words: &[&str], input: &str) -> String {
        let mut command = self.daemon.editctl();
        command.env("EDITCTL_SESSION", session).args(words);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("editctl can be started");
        let mut stdin = child.stdin.take().expect("its input is a pipe");
        let bytes = input.to_owned();
        let writer = std::thread::spawn(move || drop(stdin.write_all(bytes.as_bytes())));
        let output = child.wait_with_output().expect("editctl ends");
        writer.join().expect("the input was written");
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    }

    /// The replies to one job, `prepare` done before each.
    pub(crate) fn replies(
        &mut self,
        job: &Value,
        words: &[&str],
        prepare: impl Fn(&Self, &str),
    ) -> ReplyForms {
        let said = [&["edit", "-"][..], words].concat();
        let mut ask = |more: &[&str]| {
            let session = self.session();
            prepare(self, &session);
            self.editctl(&session, &[&said[..], more].concat(), &job.to_string())
        };
        let (text, json) = (ask(&[]), ask(&["--json"]));
        ReplyForms { text, json }
    }

    /// The replies to a change that applies.
    pub(crate) fn success(&mut self, change: &CommitChange, job: &Value) -> ReplyForms {
        let replies = self.replies(job, &["--base", "any", "--mode", "interactive"], |runner, _| {
            for file in &change.files {
                match &file.before {
                    Some(text) => runner.put(&file.path, text),
                    None => drop(std::fs::remove_file(runner.daemon.workspace().join(&file.path))),
                }
            }
        });
        for file in change.files.iter() {
            let now = std::fs::read_to_string(self.daemon.workspace().join(&file.path)).ok();
            let ended = |text: &Option<String>| text.as_ref().map(|text| text.trim_end().to_owned());
            assert_eq!(ended(&now), ended(&file.after), "{}: {}", file.path, replies.text);
        }
        replies
    }
}
