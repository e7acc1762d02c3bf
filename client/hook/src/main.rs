//! The process of `editctl-hook`. The library does everything.

fn main() -> std::process::ExitCode {
    editctl_hook::main()
}
