//! The one integration binary: every promise and every habit of the house is a file here. It never tests
//! what a unit test beside the code could.

mod tidy;
