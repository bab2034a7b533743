//! What the search of a position is expected to cost, learnt from those that are settled.

/// The logarithm of the number of nodes as a linear function of the number of elements, by least squares.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CostModel {
    /// Sums of 1, x, y, x * x, x * y over what it is learnt from, with what the plan says.
    sums: [f64; 5],
    learnt_from: u64,
}

impl CostModel {
    /// That of a plan: so many nodes for a position of so many elements, and one for none.
    pub fn new(size: usize, nodes: f64) -> Self {
        let mut model = Self::default();
        model.add(0.0, 0.0);
        model.add(size as f64, nodes.clamp(1.0, f64::MAX).ln());
        model
    }

    fn add(&mut self, x: f64, y: f64) {
        let terms = [1.0, x, y, x * x, x * y];
        self.sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
    }

    /// A position of so many elements took so many nodes.
    pub fn learn(&mut self, size: usize, nodes: u64) {
        self.add(size as f64, (nodes.max(1) as f64).ln());
        self.learnt_from += 1;
    }

    /// Number of positions that it is learnt from.
    pub fn learnt_from(&self) -> u64 {
        self.learnt_from
    }

    /// The constant and the slope.
    pub fn line(&self) -> (f64, f64) {
        let [n, x, y, xx, xy] = self.sums;
        let determinant = n * xx - x * x;
        // All positions of the same size.
        if determinant <= f64::EPSILON * n * xx {
            return (y / n.max(1.0), 0.0);
        }
        let slope = (n * xy - x * y) / determinant;
        ((y - slope * x) / n, slope)
    }

    /// Nodes that a position of so many elements is expected to take.
    pub fn nodes(&self, size: usize) -> f64 {
        let (base, slope) = self.line();
        // No prediction is beyond what can be written.
        (base + slope * size as f64).clamp(0.0, 100.0).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn begins_with_the_plan_and_moves_to_what_is_seen() {
        let mut model = CostModel::new(100, 1e6);
        assert!((model.nodes(100) / 1e6 - 1.0).abs() < 1e-9 && (model.nodes(0) - 1.0).abs() < 1e-9);
        // In truth it is e^(x / 10).
        for size in 40..90 {
            model.learn(size, (size as f64 / 10.0).exp() as u64);
        }
        let (base, slope) = model.line();
        assert!((slope - 0.1).abs() < 0.02 && base.abs() < 1.0, "{base} {slope}");
        assert_eq!(model.learnt_from(), 50);
    }

    #[test]
    fn says_something_whatever_it_is_told() {
        assert_eq!(CostModel::default().nodes(7), 1.0);
        let mut model = CostModel::new(0, f64::INFINITY);
        model.learn(0, u64::MAX);
        assert!(model.nodes(usize::MAX).is_finite());
    }
}
