//! The `skewer` program. It is implemented in [`skewer::cli`].

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    skewer::cli::main(std::env::args_os())
}
