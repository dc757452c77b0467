//! The command `mainstay`.

fn main() {}
