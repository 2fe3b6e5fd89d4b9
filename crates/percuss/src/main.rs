//! The command `percuss`.

fn main() -> std::process::ExitCode {
    percuss_cli::main()
}
