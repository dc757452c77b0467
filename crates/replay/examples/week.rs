//! Prints the simulated week and its Friday.

use mainstay_replay::week::{Order, WeekError, friday, friday_table, week, week_table};

/// Any other does as well; the tests of this crate try several.
const SEED: u64 = 17;

fn main() -> Result<(), WeekError> {
    let (cheap, expensive) = (week(Order::CheapFirst, SEED)?, week(Order::ExpensiveFirst, SEED)?);
    println!("{}", week_table(&cheap, &expensive));
    println!("{}", friday_table(&friday(SEED)?));
    println!("Rates, sizes and prices with their reasons: crates/replay/src/week/inputs.rs");
    Ok(())
}
