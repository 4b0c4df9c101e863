//! Every cell of the embedded corpus as a test, named by its id.

fn main() -> std::process::ExitCode {
    skewer::harness::main()
}
