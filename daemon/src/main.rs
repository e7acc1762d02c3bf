//! The daemon's process. It leaves everything to the library.

fn main() -> std::process::ExitCode {
    editd::run::main()
}
