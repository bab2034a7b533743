//! Specifications of posets known by their covers: the text users type.

use std::str::FromStr;

use super::chains::Naming;
use super::field::prime_power;
use super::{Antichain, AsmPoset, Chains, CoverPoset, SetPartitions, Subspaces};
use crate::poset::divisors::factorise;
use crate::poset::error::{PosetError, PosetFault, parse_number};
use crate::poset::spec::{FamilyHelp, read_family};

/// The largest number of points of a Boolean lattice, and of factors of a product.
const MOST_FACTORS: u64 = 64;
/// The largest n of `asm:n`: there the ruler takes some seconds.
const MOST_ROWS: u64 = 202;
/// The largest n of `partitions:n` and `subspaces:n:q`.
const MOST_DIMENSIONS: u64 = 200;
/// The largest number of elements of a chain.
const LONGEST: u64 = u32::MAX as u64;

/// The families of posets whose elements coin-turning games are played on.
pub(in crate::poset) static COVER_FAMILIES: [FamilyHelp; 8] = [
    FamilyHelp { name: "chain", form: "chain:5", usage: "`chain:n` with n from 1 to 4294967295" },
    FamilyHelp {
        name: "chains",
        form: "chains:3x3x2 (a product of chains)",
        usage: "the numbers of elements of up to 64 chains, as in `chains:3x3x2`",
    },
    FamilyHelp {
        name: "boolean",
        form: "boolean:7, boolean:7:3 (subsets)",
        usage: "`boolean:n` with n from 0 to 64, or `boolean:n:k` for the subsets of size at most k",
    },
    FamilyHelp {
        name: "divisors",
        form: "divisors:360",
        usage: "`divisors:n` for an n of 64 bits, as in `divisors:360`",
    },
    FamilyHelp { name: "antichain", form: "antichain:6", usage: "`antichain:n` with n from 1 to 4294967295" },
    FamilyHelp {
        name: "subspaces",
        form: "subspaces:3:2 (of the 3-dimensional space over F_2)",
        usage: "`subspaces:n:q` with n from 0 to 200 and a prime power q below 2^32, as in `subspaces:3:2` or `subspaces:2:9`",
    },
    FamilyHelp { name: "asm", form: "asm:5", usage: "`asm:n` with n from 2 to 202" },
    FamilyHelp { name: "partitions", form: "partitions:4 (of a set)", usage: "`partitions:n` with n from 1 to 200" },
];

impl FromStr for CoverPoset {
    type Err = PosetError;

    fn from_str(text: &str) -> Result<Self, PosetError> {
        read_family(text, &COVER_FAMILIES, |name| PosetFault::UnknownFamily(name.to_owned()), read)
    }
}

fn read(family: &str, parameters: &str) -> Result<CoverPoset, PosetFault> {
    Ok(match family {
        "chain" => CoverPoset::Chains(Chains::new(vec![length(parameters)?], Naming::Chain)),
        "chains" => CoverPoset::Chains(chains(parameters)?),
        "boolean" => CoverPoset::Chains(boolean(parameters)?),
        "divisors" => CoverPoset::Chains(divisors(parameters)?),
        "antichain" => CoverPoset::Antichain(Antichain::new(length(parameters)?)),
        "asm" => CoverPoset::Asm(AsmPoset::new(within(parameters, 2, MOST_ROWS)? as u32)),
        "partitions" => CoverPoset::Partitions(SetPartitions::new(within(parameters, 1, MOST_DIMENSIONS)? as usize)),
        _ => CoverPoset::Subspaces(subspaces(parameters)?),
    })
}

fn within(text: &str, least: u64, most: u64) -> Result<u64, PosetFault> {
    match parse_number(text)? {
        number if (least..=most).contains(&number) => Ok(number),
        number => Err(PosetFault::OutOfRange { number, least, most }),
    }
}

fn length(text: &str) -> Result<u32, PosetFault> {
    Ok(within(text, 1, LONGEST)? as u32)
}

/// Two parameters, of which the second may be missing.
fn two(parameters: &str) -> Result<(&str, Option<&str>), PosetFault> {
    let mut parts = parameters.splitn(3, ':');
    let first = parts.next().unwrap_or_default();
    let second = parts.next();
    match parts.next() {
        Some(extra) => Err(PosetFault::ExtraPart(extra.to_owned())),
        None => Ok((first, second)),
    }
}

fn chains(parameters: &str) -> Result<Chains, PosetFault> {
    let mut lengths = parameters.split('x').map(length).collect::<Result<Vec<u32>, _>>()?;
    lengths.retain(|&length| length > 1);
    if lengths.is_empty() {
        lengths.push(1);
    }
    match lengths.len() as u64 {
        factors if factors > MOST_FACTORS => {
            Err(PosetFault::OutOfRange { number: factors, least: 1, most: MOST_FACTORS })
        }
        _ => Ok(Chains::new(lengths, Naming::Chains)),
    }
}

fn boolean(parameters: &str) -> Result<Chains, PosetFault> {
    let (points, size) = two(parameters)?;
    let points = within(points, 0, MOST_FACTORS)?;
    let size = size.map_or(Ok(points), parse_number)?;
    if size > points {
        return Err(PosetFault::SizeAbovePoints { size, points });
    }
    Ok(Chains::new(vec![2; points as usize], Naming::Boolean { most: size as usize }))
}

fn divisors(parameters: &str) -> Result<Chains, PosetFault> {
    let number = parse_number(parameters)?;
    if number == 0 {
        return Err(PosetFault::DivisorsOfZero);
    }
    let (primes, exponents): (Vec<u64>, Vec<usize>) = factorise(number).into_iter().unzip();
    let lengths = exponents.into_iter().map(|exponent| exponent as u32 + 1).collect();
    Ok(Chains::new(lengths, Naming::Divisors { number, primes }))
}

fn subspaces(parameters: &str) -> Result<Subspaces, PosetFault> {
    let (n, q) = two(parameters)?;
    let n = within(n, 0, MOST_DIMENSIONS)?;
    let q = within(q.unwrap_or_default(), 0, LONGEST)?;
    match prime_power(q) {
        Some(_) => Ok(Subspaces::new(n as usize, q)),
        None => Err(PosetFault::NotAPrimePower(q)),
    }
}
