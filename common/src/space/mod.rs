//! The canonical antichain space: canonical bases by number of elements, and their fibres.
