//! A test for each cell of the embedded corpus, named by the id of the cell.

fn main() -> std::process::ExitCode {
    skewer::harness::main()
}
