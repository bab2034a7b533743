//! The canonical antichain space: canonical bases by number of elements, and the fibres over them.

pub mod code;
pub mod discover;
pub mod edges;
pub mod enumerate;
pub mod fibre;
pub mod index;
pub mod layer;
pub mod lookup;
pub mod needed;
pub mod split;
pub mod survey;
pub mod value_map;
