//! Symmetry: canonical forms, stabilisers and orbits of ideals under a group of automorphisms.
