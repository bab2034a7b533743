//! Walks through the orders that a key leaves open.
//!
//! Points with equal keys stand next to each other in cells. Bit `p` of a tie mask says that positions `p` and `p + 1` are
//! in one cell. The walk of a mask is a list of positions: exchanging the points at `p` and `p + 1` for each `p` in turn
//! visits every arrangement within the cells once (Johnson and Trotter's order in each cell, cells nested), so that every
//! step costs one table look-up.

use super::action::MAX_POINTS;

/// The walks of all tie masks, and what a step does to the number of a group element.
pub struct Ties {
    points: usize,
    walks: Vec<Vec<u8>>,
    /// `swapped[g * MAX_POINTS + p]`: the group element that puts the points at `p` and `p + 1` the other way round.
    swapped: Vec<u16>,
}

impl Ties {
    /// For that many points.
    pub fn new(points: usize) -> Self {
        let walks = (0..1usize << points.saturating_sub(1)).map(|mask| walk(&cells(mask, points))).collect();
        let order = (1..=points).product::<usize>();
        let mut swapped = vec![0; order * MAX_POINTS];
        let mut positions: Vec<u8> = (0..points as u8).collect();
        // What digit `i` of a rank counts for.
        let weight: Vec<u16> = (0..points).map(|i| (1..points - i).product::<usize>() as u16).collect();
        for (g, swapped) in (0..).zip(swapped.chunks_exact_mut(MAX_POINTS)) {
            let mut point_at = [0; MAX_POINTS];
            for (i, &position) in positions.iter().enumerate() {
                point_at[usize::from(position)] = i;
            }
            for p in 0..points - 1 {
                // Of two points that stand side by side, the first one's digit counts the other or does not.
                let (one, other) = (point_at[p], point_at[p + 1]);
                swapped[p] = if one < other { g + weight[one] } else { g - weight[other] };
            }
            next_permutation(&mut positions);
        }
        Self { points, walks, swapped }
    }

    /// The steps of a tie mask.
    #[inline(always)]
    pub fn walk(&self, mask: u8) -> &[u8] {
        debug_assert!(usize::from(mask) < 1 << (self.points - 1));
        &self.walks[usize::from(mask)]
    }

    /// The group element after exchanging positions `p` and `p + 1`.
    #[inline(always)]
    pub fn step(&self, g: u16, p: u8) -> u16 {
        self.swapped[usize::from(g) * MAX_POINTS + usize::from(p)]
    }
}

/// The cells of a mask as (first position, length), longest walks outermost is not needed: order of position.
fn cells(mask: usize, points: usize) -> Vec<(usize, usize)> {
    let mut cells = Vec::new();
    let mut start = 0;
    for p in 0..points {
        if p + 1 == points || mask >> p & 1 == 0 {
            cells.push((start, p + 1 - start));
            start = p + 1;
        }
    }
    cells
}

/// Steps through all arrangements of the cells: the later cells are walked in full before each step of the first.
fn walk(cells: &[(usize, usize)]) -> Vec<u8> {
    let Some((&(start, len), rest)) = cells.split_first() else { return Vec::new() };
    let inner = walk(rest);
    let mut steps = inner.clone();
    for p in johnson_trotter(len) {
        steps.push((start + p) as u8);
        steps.extend(&inner);
    }
    steps
}

/// Positions to exchange with their right neighbour so that all arrangements of `len` things are visited.
fn johnson_trotter(len: usize) -> Vec<usize> {
    if len < 2 {
        return Vec::new();
    }
    let inner = johnson_trotter(len - 1);
    let mut steps = Vec::new();
    // The last thing sweeps to the left, then to the right, and so on; between sweeps the others take one step,
    // which is one position further right while the sweeping thing stands at the left end.
    for sweep in 0..=inner.len() {
        let left = sweep % 2 == 0;
        steps.extend((0..len - 1).map(|i| if left { len - 2 - i } else { i }));
        if let Some(&step) = inner.get(sweep) {
            steps.push(if left { step + 1 } else { step });
        }
    }
    steps
}

/// Steps to the lexicographically next rearrangement, if there is one.
fn next_permutation(list: &mut [u8]) {
    let Some(i) = list.windows(2).rposition(|w| w[0] < w[1]) else { return };
    let j = list.iter().rposition(|&t| t > list[i]).unwrap_or(i);
    list.swap(i, j);
    list[i + 1..].reverse();
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::symmetry::action::{inverse_list, rank};

    #[test]
    fn a_walk_visits_every_arrangement_within_the_cells_once() {
        for points in 1..=6 {
            let ties = Ties::new(points);
            for mask in 0..1usize << (points - 1) {
                let mut sequence: Vec<u8> = (0..points as u8).collect();
                let number_of = |sequence: &[u8]| rank(&inverse_list(sequence)[..points]);
                let mut number = number_of(&sequence) as u16;
                let mut seen = BTreeSet::from([sequence.clone()]);
                for &p in ties.walk(mask as u8) {
                    sequence.swap(usize::from(p), usize::from(p) + 1);
                    number = ties.step(number, p);
                    assert_eq!(usize::from(number), number_of(&sequence));
                    assert!(seen.insert(sequence.clone()));
                }
                let expected: usize =
                    cells(mask, points).iter().map(|&(_, len)| (1..=len).product::<usize>()).product();
                assert_eq!(seen.len(), expected, "{points} points, mask {mask:b}");
            }
        }
    }
}
