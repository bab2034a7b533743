//! Published values, and long lines.

use super::*;

fn line(text: &str) -> Line {
    text.parse().expect("a line")
}

#[test]
fn the_values_of_the_paper() {
    for (text, value) in [
        ("10011110110110111011110011", "10257/16384"),
        ("01001110110111011101", "-893/1024"),
        ("0101011111", "-11/16"),
        ("1101100111", "3/4"),
        ("0110110110111", "0"),
        // Where a reduction would be wrong.
        ("1001", "1/4"),
        ("1011", "1/4"),
        ("0111101", "1/8"),
    ] {
        assert_eq!(line(text).value().to_string(), value, "{text}");
    }
}

#[test]
fn the_values_of_all_lines_of_up_to_four_coins() {
    let values = "0=0 1=0 01=-1 11=1 001=-2 011=1/4 101=1/2 111=1 0001=-3 0011=1/16 0101=1/8 0111=0 1001=1/4 1011=1/4 \
                  1101=1/2 1111=2";
    let pairs: Vec<_> = values.split(' ').filter_map(|pair| pair.split_once('=')).collect();
    assert_eq!(pairs.len(), 16);
    for (text, value) in pairs {
        assert_eq!(line(text).value().to_string(), value, "{text}");
    }
}

#[test]
fn decompositions_are_written_as_in_the_paper() {
    for (text, decomposition) in [
        ("10011110110110111011110011", "101 : 1/2 : 1/64 : 1/8"),
        ("01001110110111011101", "01 : 1/4 : 1/32 : 1"),
        ("0101011111", "01 : 1/2 : 1/2"),
        ("1101100111", "1101 : 1"),
        ("0110110110111", "1"),
        ("0", "0"),
        ("0001", "0001"),
    ] {
        let decomposition_found = Decomposition::from(&Reduced::from(&line(text)));
        assert_eq!(decomposition_found.to_string(), decomposition, "{text}");
        // The parts by themselves give the value too.
        let parts = decomposition_found.exponents();
        let sum = parts.fold(decomposition_found.base_value(), |sum, exponent| sum.ordinal_sum(&exponent));
        assert_eq!(sum, line(text).value(), "{text}");
        assert_eq!(decomposition_found.base().value(), decomposition_found.base_value(), "{text}");
    }
}

#[test]
fn reduction_keeps_the_value() {
    for code in 0..1 << 12 {
        let line = Line::from_code(code);
        assert_eq!(Reduced::from(&line).line().value(), line.value(), "{line}");
    }
}

#[test]
fn the_longest_lines_have_values() {
    let half = MAX_COINS / 2;
    let zeros = format!("{}1", "0".repeat(MAX_COINS - 1));
    assert_eq!(line(&zeros).value(), Dyadic::from(1 - MAX_COINS as i64));
    assert_eq!(line(&"1".repeat(MAX_COINS)).value(), Dyadic::from(half as i64));
    // Of each pair of 1s p = q = 1.
    assert_eq!(line(&"01".repeat(half)).value().places(), 3 * half as u64 / 2);
    // 0^p 1 1 is 2^-2p.
    let two = format!("{}11", "0".repeat(MAX_COINS - 2));
    assert_eq!(line(&two).value(), Dyadic::power_of_half(2 * (MAX_COINS as u64 - 2)));
}
