//! `chain:n`, the numbers 1 to n, and `chains:3x3x2`, products of such chains ordered coordinate by coordinate.

use num_bigint::BigUint;

use super::error::{PosetFault, parse_number};
use super::position::PositionFault;
use super::spec::{Family, PosetSpec};
use super::{MAX_ELEMENTS, Poset, product};

/// Reads a number of elements from 1 to [`MAX_ELEMENTS`].
pub(super) fn parse_len(text: &str) -> Result<usize, PosetFault> {
    match parse_number(text)? {
        0 => Err(PosetFault::NoElements),
        len if len > MAX_ELEMENTS as u64 => Err(PosetFault::TooManyElements(len.into())),
        len => Ok(len as usize),
    }
}

pub(super) fn parse_one(parameters: &str) -> Result<Family, PosetFault> {
    parse_len(parameters).map(Family::Chain)
}

/// Factors of one element change nothing and are dropped, so that equal posets have one name.
pub(super) fn parse_product(parameters: &str) -> Result<Family, PosetFault> {
    let lengths = parameters.split('x').map(parse_number).collect::<Result<Vec<u64>, _>>()?;
    if lengths.contains(&0) {
        return Err(PosetFault::NoElements);
    }
    let elements: BigUint = lengths.iter().product();
    if elements > MAX_ELEMENTS.into() {
        return Err(PosetFault::TooManyElements(elements));
    }
    let mut lengths: Vec<usize> = lengths.into_iter().filter(|&len| len > 1).map(|len| len as usize).collect();
    if lengths.is_empty() {
        lengths.push(1);
    }
    Ok(Family::Chains(lengths))
}

pub(super) fn build(spec: PosetSpec, lengths: &[usize]) -> Poset {
    product::build(spec, lengths, usize::MAX, label)
}

/// Coordinates from 1, joined by points.
fn label(levels: &[u8]) -> String {
    let coordinates: Vec<String> = levels.iter().map(|&level| (u16::from(level) + 1).to_string()).collect();
    coordinates.join(".")
}

/// The label of the element that a word means.
pub(super) fn normal_label(lengths: &[usize], word: &str) -> Result<String, PositionFault> {
    let coordinates = word.split('.').map(parse_number).collect::<Result<Vec<u64>, _>>()?;
    if coordinates.len() != lengths.len() {
        let (found, expected) = (coordinates.len(), lengths.len());
        return Err(PositionFault::Coordinates { element: word.to_owned(), found, expected });
    }
    for (&number, &len) in coordinates.iter().zip(lengths) {
        if !(1..=len as u64).contains(&number) {
            return Err(PositionFault::OutOfRange { number, element: word.to_owned(), len });
        }
    }
    let coordinates: Vec<String> = coordinates.iter().map(u64::to_string).collect();
    Ok(coordinates.join("."))
}
