//! The `skewer-lab` program. It is implemented in [`skewer_lab::commands`].

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    skewer_lab::commands::main(std::env::args_os())
}
