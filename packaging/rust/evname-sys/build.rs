fn main() {
    let needed = env!("CARGO_PKG_VERSION");
    if let Err(error) = pkg_config::Config::new().atleast_version(needed).probe("evname") {
        eprintln!("libevname {needed} or newer is needed, and pkg-config has to find it:\n{error}");
        std::process::exit(1);
    }
}
