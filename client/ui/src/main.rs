//! The process of `editctl-ui`. The library does everything.

fn main() -> std::process::ExitCode {
    editctl_ui::main()
}
