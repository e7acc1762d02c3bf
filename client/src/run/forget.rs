//! The command `forget`: removes the contents of a file from the journal.

use std::path::Path;

use editd_proto::message::{ForgetReply, ForgetRequest};

use super::{CommandContext, CommandOutput};
use editctl::failure::Failure;
use editctl::show::letters::one_line;

pub(super) fn run(context: &CommandContext<'_>, path: &Path) -> Result<CommandOutput, Failure> {
    let request = ForgetRequest { path: context.name(path) };
    let reply = context.ask(true, |it| it.forget(&request))?;
    Ok(context.answer(&reply, |reply, _| done(reply)))
}

fn done(reply: &ForgetReply) -> String {
    let path = reply.path.display();
    let mut out = if (reply.entries, reply.clipboards, reply.files) == (0, 0, 0) {
        format!("the journal has no contents of {path}\n")
    } else {
        format!(
            "forgot the contents of {path}: {}, {}, {}; the file itself is unchanged\n",
            count(reply.entries, "entry", "entries"),
            count(reply.clipboards, "clipboard", "clipboards"),
            count(reply.files, "kept file", "kept files"),
        )
    };
    if !reply.damaged.is_empty() {
        out.push_str(
            "damaged state that was set aside may still have them; remove it if you do not need it:\n",
        );
        reply.damaged.iter().for_each(|folder| out.push_str(&format!("  {}\n", one_line(folder))));
    }
    out
}

fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
