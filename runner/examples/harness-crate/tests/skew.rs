//! A test for each cell of the cases in `tests/skew`, named by the id of the cell.

fn main() -> std::process::ExitCode {
    skewer::harness::main_of("tests/skew")
}
