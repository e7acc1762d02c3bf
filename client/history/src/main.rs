//! The process of `editctl-history`. The library does everything.

fn main() -> std::process::ExitCode {
    editctl_history::main()
}
