//! Tables of values: the values of the blocks of a shard, addressed by base and code, no keys kept.
