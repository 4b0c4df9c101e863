//! The command line of Skewer. What it does is in the library.

fn main() -> std::process::ExitCode {
    skewer::cli::main(std::env::args_os())
}
