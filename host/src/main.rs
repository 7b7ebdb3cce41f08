//! The binary `tamis`.

#[cfg(all(target_os = "linux", feature = "http"))]
mod allocator;

#[cfg(all(target_os = "linux", feature = "http"))]
#[global_allocator]
static ALLOCATOR: allocator::BySize = allocator::BySize;

fn main() -> std::process::ExitCode {
    #[cfg(all(target_os = "linux", feature = "http"))]
    allocator::keep_pages();
    tamis::cli::main()
}
