//! The process of `editctl-setup`. The library does everything.

fn main() -> std::process::ExitCode {
    editctl_setup::main()
}
