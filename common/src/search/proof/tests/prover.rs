//! Proofs by brute force, from the definition of the game: of posets of at most 64 elements with few ideals.

use std::collections::{BTreeMap, BTreeSet};

use crate::ideal::{Element, Ideal};
use crate::oracle::{self, Mask};
use crate::poset::{AutomorphismGroup, Poset};
use crate::search::proof::{Claim, ProofWriter, Step, Verdict, entry_order};

/// All positions of a poset with their outcomes.
pub struct Prover {
    pub poset: Poset,
    /// Whether the player to move loses.
    lost: BTreeMap<Mask, bool>,
    /// For each element it and all above it.
    above: Vec<Mask>,
    group: Vec<Vec<u16>>,
    /// Automorphisms of order two, as a proof names them and as images of elements.
    mirrors: Vec<(Vec<u8>, Vec<u16>)>,
}

/// A step of a proof.
enum OwnStep {
    Answered(Vec<u8>),
    Mirrored(Vec<u8>),
}

impl Prover {
    pub fn new(spec: &str) -> Self {
        let poset: Poset = spec.parse().expect("a poset");
        let elements = || 0..poset.len();
        let above: Vec<Mask> = elements()
            .map(|x| elements().filter(|&y| oracle::at_most(&poset, x, y)).fold(0, |above, y| above | 1 << y))
            .collect();
        let named: Vec<(Vec<u8>, Vec<u16>)> = match poset.group() {
            AutomorphismGroup::Factors(group) => group.elements().map(|p| (p.clone(), group.act(&p))).collect(),
            AutomorphismGroup::Trivial => vec![((0..poset.len() as u8).collect(), (0..poset.len() as u16).collect())],
            AutomorphismGroup::AllPermutations => {
                let name = |p: Vec<u16>| (p.iter().map(|&x| x as u8).collect(), p);
                oracle::all_permutations(poset.len()).into_iter().map(name).collect()
            }
        };
        let group = named.iter().map(|(_, images)| images.clone()).collect();
        let of_order_two = |(_, images): &(Vec<u8>, Vec<u16>)| {
            elements().any(|x| usize::from(images[x]) != x)
                && elements().all(|x| usize::from(images[usize::from(images[x])]) == x)
        };
        let mirrors = named.into_iter().filter(of_order_two).collect();
        let mut prover = Self { lost: BTreeMap::new(), above, group, mirrors, poset };
        for position in oracle::ideals(&prover.poset) {
            // What a move leaves is a subset, hence a smaller number.
            let lost = prover.moves(position).iter().all(|(_, left)| !prover.lost[left]);
            prover.lost.insert(position, lost);
        }
        prover
    }

    /// All positions.
    pub fn positions(&self) -> impl Iterator<Item = Mask> {
        self.lost.keys().copied()
    }

    /// One position of each orbit.
    pub fn orbits(&self) -> BTreeSet<Mask> {
        self.positions().map(|position| oracle::least_image(&self.group, position)).collect()
    }

    /// Whether the player to move loses.
    pub fn is_lost(&self, position: Mask) -> bool {
        self.lost[&position]
    }

    /// The elements that may be taken, with what each leaves.
    fn moves(&self, position: Mask) -> Vec<(Element, Mask)> {
        let all_above = |x: Element| self.above[x].count_ones() as usize == self.poset.len();
        oracle::members(position).filter(|&x| !all_above(x)).map(|x| (x, position & !self.above[x])).collect()
    }

    /// A move that leaves a lost position.
    fn winning_move(&self, position: Mask) -> Option<(Element, Mask)> {
        self.moves(position).into_iter().find(|(_, left)| self.lost[left])
    }

    /// What is claimed of a position: the truth.
    pub fn claim(&self, position: Mask) -> Claim {
        let verdict = self.winning_move(position).map_or(Verdict::Lost, |(by, _)| Verdict::Won { by });
        Claim { position: oracle::members(position).collect(), verdict }
    }

    /// A proof of the truth about a position, with mirrored steps where there are some.
    pub fn prove(&self, position: Mask, with_mirrors: bool) -> Vec<u8> {
        let mut steps = BTreeMap::new();
        let lost = self.winning_move(position).map_or(position, |(_, left)| left);
        self.explain(lost, with_mirrors, &mut steps);
        let mut sorted: Vec<(Ideal<1>, OwnStep)> =
            steps.into_iter().map(|(mask, step)| (Ideal([mask]), step)).collect();
        sorted.sort_by(|(a, _), (b, _)| entry_order(a, b));
        let mut proof = ProofWriter::new(Vec::new(), &self.poset, &self.claim(position), sorted.len() as u64)
            .expect("memory takes everything");
        for (position, step) in &sorted {
            let step = match step {
                OwnStep::Answered(replies) => Step::Answered(replies),
                OwnStep::Mirrored(images) => Step::Mirrored(images),
            };
            proof.write(position, step).expect("sorted entries");
        }
        proof.finish().expect("all entries").0
    }

    /// Lists a lost position and all that it rests on, one of each orbit.
    fn explain(&self, position: Mask, with_mirrors: bool, steps: &mut BTreeMap<Mask, OwnStep>) {
        let position = oracle::least_image(&self.group, position);
        let moves = self.moves(position);
        if moves.is_empty() || steps.contains_key(&position) {
            return;
        }
        assert!(self.lost[&position]);
        if let Some((images, fixed)) = with_mirrors.then(|| self.mirror(position)).flatten() {
            steps.insert(position, OwnStep::Mirrored(images));
            return self.explain(fixed, with_mirrors, steps);
        }
        let replies = moves.iter().map(|&(_, left)| self.winning_move(left).expect("a reply"));
        let (replies, after): (Vec<Element>, Vec<Mask>) = replies.unzip();
        steps.insert(position, OwnStep::Answered(replies.into_iter().map(|reply| reply as u8).collect()));
        after.into_iter().for_each(|left| self.explain(left, with_mirrors, steps));
    }

    /// A mirror of the position, and what it fixes.
    fn mirror(&self, position: Mask) -> Option<(Vec<u8>, Mask)> {
        self.mirrors.iter().find_map(|(name, images)| {
            let fixed = oracle::members(position).filter(|&x| usize::from(images[x]) == x);
            let fixed = fixed.fold(0, |set, x| set | 1 << x);
            let serves = oracle::image(images, position) == position
                && fixed != position
                && oracle::is_ideal(&self.poset, fixed);
            serves.then(|| (name.clone(), fixed))
        })
    }
}
