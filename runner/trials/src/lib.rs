//! Random trials: [`laws`] of directives and of changes of a topology, and [`differential`] runs, which compare the engine
//! with a target.

pub mod differential;
pub mod laws;
pub mod random_testing;
