//! The binary `tamis`.

fn main() -> std::process::ExitCode {
    tamis::cli::main()
}
