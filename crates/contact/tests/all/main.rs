//! All tests of the crate in one program: every further test program would be linked separately.

mod law_derivatives;
mod law_enumeration;
mod law_extremes;
mod law_oracles;
mod law_properties;
mod law_random;
mod law_rank;
mod law_regions;
mod law_smoothed;
mod law_status;
mod law_support;
mod law_wedge;
mod nonfirm_sums;
