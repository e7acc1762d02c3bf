//! The process of `editctl-mcp`. The library does everything.

fn main() -> std::process::ExitCode {
    editctl_mcp::main()
}
