//! The `skewer` program. It is implemented in [`skewer::cli`].

fn main() -> std::process::ExitCode {
    skewer::cli::main(std::env::args_os())
}
