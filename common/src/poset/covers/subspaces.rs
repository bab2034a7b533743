//! `subspaces:n:q`: the subspaces of the n-dimensional vector space over the field of q elements, by inclusion.

use num_bigint::BigUint;

use super::{Coordinates, CoverRelation, ElementFault, FiniteField};

/// The lattice B_n(q). The coordinates are the rows of the reduced row echelon basis, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subspaces {
    n: usize,
    q: u64,
    /// For q up to 31; elements of larger fields cannot be written.
    field: Option<FiniteField>,
}

impl Subspaces {
    /// For a prime power q.
    pub(super) fn new(n: usize, q: u64) -> Self {
        Self { n, q, field: FiniteField::new(q) }
    }

    /// Number of elements of the field.
    pub fn q(&self) -> u64 {
        self.q
    }

    /// Whether elements can be written.
    pub fn has_elements(&self) -> bool {
        self.field.is_some()
    }

    /// The reduced row echelon form of rows.
    fn reduced(&self, mut rows: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
        let Some(field) = &self.field else { return Vec::new() };
        let mut done = 0;
        for column in 0..self.n {
            let Some(pivot) = (done..rows.len()).find(|&row| rows[row][column] != 0) else { continue };
            rows.swap(done, pivot);
            let inverse = field.inverse(rows[done][column]);
            rows[done].iter_mut().for_each(|entry| *entry = field.product(*entry, inverse));
            let pivot = rows[done].clone();
            for (_, row) in rows.iter_mut().enumerate().filter(|&(i, _)| i != done) {
                let factor = field.negative(row[column]);
                row.iter_mut().zip(&pivot).for_each(|(entry, &p)| *entry = field.sum(*entry, field.product(factor, p)));
            }
            done += 1;
        }
        rows.truncate(done);
        rows
    }

    fn rows(&self, x: &[u32]) -> Vec<Vec<u32>> {
        x.chunks(self.n.max(1)).map(<[u32]>::to_vec).collect()
    }
}

impl CoverRelation for Subspaces {
    fn name(&self) -> String {
        format!("subspaces:{}:{}", self.n, self.q)
    }

    fn len(&self) -> BigUint {
        self.len_by_rank().into_iter().sum()
    }

    fn coordinates(&self) -> usize {
        self.n * self.n
    }

    fn height(&self) -> usize {
        self.n
    }

    /// Gaussian binomial coefficients, each from the one before.
    fn len_by_rank(&self) -> Vec<BigUint> {
        let less_one = |exponent: usize| BigUint::from(self.q).pow(exponent as u32) - 1u8;
        let mut counts = vec![BigUint::from(1u8)];
        for rank in 0..self.n {
            counts.push(&counts[rank] * less_one(self.n - rank) / less_one(rank + 1));
        }
        counts
    }

    fn len_of_lower_covers(&self, x: &[u32]) -> BigUint {
        (BigUint::from(self.q).pow(self.rank(x) as u32) - 1u8) / (self.q - 1)
    }

    fn rank(&self, x: &[u32]) -> usize {
        x.len() / self.n.max(1)
    }

    fn maximal(&self) -> Vec<Coordinates> {
        vec![(0..self.n * self.n).map(|i| u32::from(i / self.n == i % self.n)).collect()]
    }

    /// Its hyperplanes: the kernels of the forms on it whose last coefficient that is not 0 is 1.
    fn lower_covers(&self, x: &[u32]) -> Vec<Coordinates> {
        let Some(field) = &self.field else { return Vec::new() };
        let rows = self.rows(x);
        let mut lower = Vec::new();
        for last in 0..rows.len() {
            for mut code in 0..self.q.pow(last as u32) {
                let mut hyperplane: Vec<Vec<u32>> = Vec::with_capacity(rows.len() - 1);
                for row in &rows[..last] {
                    let factor = field.negative((code % self.q) as u32);
                    code /= self.q;
                    let entries = row.iter().zip(&rows[last]).map(|(&a, &b)| field.sum(a, field.product(factor, b)));
                    hyperplane.push(entries.collect());
                }
                hyperplane.extend_from_slice(&rows[last + 1..]);
                lower.push(self.reduced(hyperplane).concat());
            }
        }
        lower
    }

    fn is_at_most(&self, x: &[u32], y: &[u32]) -> bool {
        let together = [self.rows(x), self.rows(y)].concat();
        self.reduced(together).concat() == y
    }

    fn label(&self, x: &[u32]) -> String {
        let show = |row: Vec<u32>| row.iter().filter_map(|&entry| Some(self.field.as_ref()?.show(entry))).collect();
        let rows: Vec<String> = self.rows(x).into_iter().map(show).collect();
        if rows.is_empty() { "0".to_owned() } else { rows.join("/") }
    }

    fn element(&self, word: &str) -> Result<Coordinates, ElementFault> {
        let Some(field) = &self.field else { return Err(ElementFault::NotAnElement(self.name())) };
        if word.is_empty() {
            return Err(ElementFault::Empty);
        }
        if word == "0" {
            return Ok(Vec::new());
        }
        let mut rows = Vec::new();
        for text in word.split('/') {
            let entry = |c: char| field.read(c).ok_or(ElementFault::Character(c));
            let row = text.chars().map(entry).collect::<Result<Vec<u32>, _>>()?;
            if row.len() != self.n {
                return Err(ElementFault::Parts { found: row.len(), expected: self.n });
            }
            rows.push(row);
        }
        let given = rows.len();
        let reduced = self.reduced(rows);
        if reduced.len() < given {
            return Err(ElementFault::Dependent);
        }
        Ok(reduced.concat())
    }

    fn usage(&self) -> String {
        match &self.field {
            Some(field) => {
                let all: String = (0..field.q()).map(|x| field.show(x)).collect();
                format!("a basis as rows of {} of the characters {all}, separated by `/`; 0 is the zero space", self.n)
            }
            None => "a poset over a field of at most 31 elements: those of larger ones have no names".to_owned(),
        }
    }
}
