//! Least squares with a slight preference for small coefficients (ridge regression), so that columns may depend on each
//! other.

/// Rows of numbers, and for each row what a linear function of it is to come near to.
pub struct LeastSquares {
    width: usize,
    rows: Vec<f64>,
    targets: Vec<f64>,
}

/// Weight of a coefficient's square against the errors', where columns have variance 1.
const PREFERENCE: f64 = 1e-5;

/// Variance, relative to the square of the mean, that is taken to be rounding.
const ROUNDING: f64 = 1e-20;

impl LeastSquares {
    /// No rows of so many numbers.
    pub fn new(width: usize) -> Self {
        Self { width, rows: Vec::new(), targets: Vec::new() }
    }

    /// A new row of zeros to be filled in.
    pub fn row(&mut self, target: f64) -> &mut [f64] {
        let start = self.rows.len();
        self.rows.resize(start + self.width, 0.0);
        self.targets.push(target);
        &mut self.rows[start..]
    }

    /// A constant, and a coefficient for each column.
    pub fn solve(mut self) -> (f64, Vec<f64>) {
        let count = self.targets.len() as f64;
        let centre = self.targets.iter().sum::<f64>() / count;
        let mut means = vec![0.0; self.width];
        for row in self.rows.chunks_exact(self.width) {
            means.iter_mut().zip(row).for_each(|(mean, x)| *mean += x / count);
        }
        let mut deviations = vec![0.0; self.width];
        for row in self.rows.chunks_exact_mut(self.width) {
            for ((x, mean), deviation) in row.iter_mut().zip(&means).zip(&mut deviations) {
                *x -= mean;
                *deviation += *x * *x / count;
            }
        }
        // Columns that are constant say nothing.
        let telling: Vec<usize> =
            (0..self.width).filter(|&i| deviations[i] > ROUNDING * (1.0 + means[i] * means[i])).collect();
        let scales: Vec<f64> = telling.iter().map(|&i| 1.0 / deviations[i].sqrt()).collect();
        let mut matrix = vec![0.0; telling.len() * telling.len()];
        let mut right = vec![0.0; telling.len()];
        let mut scaled = vec![0.0; telling.len()];
        for (row, target) in self.rows.chunks_exact(self.width).zip(&self.targets) {
            for ((x, &i), scale) in scaled.iter_mut().zip(&telling).zip(&scales) {
                *x = row[i] * scale;
            }
            for (i, x) in scaled.iter().enumerate() {
                right[i] += x * (target - centre);
                matrix[i * telling.len()..].iter_mut().zip(&scaled[..=i]).for_each(|(sum, y)| *sum += x * y);
            }
        }
        (0..telling.len()).for_each(|i| matrix[i * telling.len() + i] += PREFERENCE * count);
        let solution = cholesky(&mut matrix, right);
        let mut coefficients = vec![0.0; self.width];
        for ((&i, x), scale) in telling.iter().zip(solution).zip(scales) {
            coefficients[i] = x * scale;
        }
        let constant = centre - coefficients.iter().zip(means).map(|(c, mean)| c * mean).sum::<f64>();
        (constant, coefficients)
    }
}

/// The solution of a system with a positive definite matrix, of which the lower half is given and overwritten.
fn cholesky(matrix: &mut [f64], mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for i in 0..n {
        for j in 0..=i {
            let dot: f64 = (0..j).map(|k| matrix[i * n + k] * matrix[j * n + k]).sum();
            let rest = matrix[i * n + j] - dot;
            matrix[i * n + j] = if i == j { rest.max(f64::MIN_POSITIVE).sqrt() } else { rest / matrix[j * n + j] };
        }
    }
    for i in 0..n {
        let dot: f64 = (0..i).map(|k| matrix[i * n + k] * right[k]).sum();
        right[i] = (right[i] - dot) / matrix[i * n + i];
    }
    for i in (0..n).rev() {
        let dot: f64 = (i + 1..n).map(|k| matrix[k * n + i] * right[k]).sum();
        right[i] = (right[i] - dot) / matrix[i * n + i];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn a_linear_function_is_found_again() {
        let mut random = Random::new(1);
        let mut squares = LeastSquares::new(4);
        let mut points = Vec::new();
        for _ in 0..200 {
            let (x, y) = (random.unit(), 100.0 * random.unit());
            // The third column is constant, the fourth depends on the others.
            squares.row(5.0 + 2.0 * x - 3.0 * y).copy_from_slice(&[x, y, 7.0, x + y]);
            points.push((x, y));
        }
        let (constant, c) = squares.solve();
        assert_eq!(c[2], 0.0);
        for (x, y) in points {
            let found = constant + c[0] * x + c[1] * y + c[3] * (x + y);
            assert!((found - (5.0 + 2.0 * x - 3.0 * y)).abs() < 0.02, "{found}");
        }
    }

    #[test]
    fn without_anything_to_tell_the_mean_is_the_answer() {
        let mut squares = LeastSquares::new(2);
        squares.row(1.0).copy_from_slice(&[4.0, 0.0]);
        squares.row(2.0).copy_from_slice(&[4.0, 0.0]);
        assert_eq!(squares.solve(), (1.5, vec![0.0, 0.0]));
    }
}
