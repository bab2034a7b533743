//! Golden values, each with its source: what a finished computation is compared with.
