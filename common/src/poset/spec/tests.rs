//! What texts mean, and what those that mean nothing get.

use super::*;
use crate::poset::NumberFault;

fn fault(text: &str) -> PosetFault {
    text.parse::<PosetSpec>().expect_err(text).fault().clone()
}

#[test]
fn normal_forms() {
    for (text, normal) in [
        ("boolean:7", "boolean:7"),
        ("boolean:07", "boolean:7"),
        ("boolean:0", "boolean:0"),
        ("boolean:0:0", "boolean:0"),
        ("boolean:5:5", "boolean:5"),
        ("boolean:5:2", "boolean:5:2"),
        ("boolean:8", "boolean:8"),
        ("chain:256", "chain:256"),
        ("chains:3x3x2", "chains:3x3x2"),
        ("chains:2x3", "chains:2x3"),
        ("chains:3x1x2", "chains:3x2"),
        ("chains:1x1", "chains:1"),
        ("chains:5", "chains:5"),
        ("antichain:6", "antichain:6"),
        ("divisors:360", "divisors:360"),
        ("divisors:18446744073709551615", "divisors:18446744073709551615"),
    ] {
        let spec: PosetSpec = text.parse().expect(text);
        assert_eq!(spec.to_string(), normal);
        assert_eq!(normal.parse(), Ok(spec));
    }
}

#[test]
fn unknown_families_get_the_list() {
    for text in ["bolean:3", "boolean7", "Boolean:3", " boolean:3", ":3", "7", "boolean 7"] {
        assert!(matches!(fault(text), PosetFault::UnknownFamily(_)), "{text}");
        let error = text.parse::<PosetSpec>().expect_err(text);
        assert!(FAMILIES.iter().all(|family| error.hint().contains(family.form)));
        assert_eq!(error.input(), text);
    }
    assert_eq!(fault(""), PosetFault::Empty);
}

#[test]
fn families_of_later_versions_are_named_as_such() {
    assert!(matches!(fault("file:poset.txt"), PosetFault::NotGiven));
    for text in ["subspaces:3:2", "asm:5", "partitions:4"] {
        assert!(matches!(fault(text), PosetFault::OnlyCoins(_)), "{text}");
    }
    let error = "asm:5".parse::<PosetSpec>().expect_err("not yet");
    assert_eq!(error.reason(), "of `asm` posets this version answers questions on coin-turning games only");
    assert_eq!(error.hint(), "ask for turning-turtles, twins, order-ideal-game or ruler there");
}

#[test]
fn parameters_that_are_no_numbers() {
    let not_digits = |text: &str| PosetFault::Number(NumberFault::NotDigits(text.to_owned()));
    assert_eq!(fault("boolean:x"), not_digits("x"));
    assert_eq!(fault("boolean:+3"), not_digits("+3"));
    assert_eq!(fault("boolean: 3"), not_digits(" 3"));
    assert_eq!(fault("boolean:-1"), not_digits("-1"));
    assert_eq!(fault("boolean:3:y"), not_digits("y"));
    assert_eq!(fault("chain:3.5"), not_digits("3.5"));
    assert_eq!(fault("chain:3:2"), not_digits("3:2"));
    assert_eq!(fault("chains:3,3"), not_digits("3,3"));
    assert_eq!(fault("chains:3X3"), not_digits("3X3"));
    assert_eq!(fault("divisors:\u{663}"), not_digits("\u{663}"));
    assert_eq!(fault("boolean:3:"), PosetFault::Number(NumberFault::Missing));
    assert_eq!(fault("boolean::3"), PosetFault::Number(NumberFault::Missing));
    assert_eq!(fault("chains:3x"), PosetFault::Number(NumberFault::Missing));
    let too_large = |text: &str| PosetFault::Number(NumberFault::TooLarge(text.to_owned()));
    for family in ["boolean", "chain", "chains", "antichain", "divisors"] {
        assert_eq!(fault(&format!("{family}:99999999999999999999")), too_large("99999999999999999999"));
        assert_eq!(fault(family), PosetFault::MissingParameter(family));
        assert_eq!(fault(&format!("{family}:")), PosetFault::MissingParameter(family));
    }
    assert_eq!(fault("boolean:3:2:1"), PosetFault::ExtraPart("1".to_owned()));
}

#[test]
fn parameters_beyond_the_limits() {
    assert_eq!(fault("boolean:9"), PosetFault::TooManyPoints(9));
    assert_eq!(fault("boolean:9:2"), PosetFault::TooManyPoints(9));
    assert_eq!(fault("boolean:3:4"), PosetFault::SizeAbovePoints { size: 4, points: 3 });
    assert_eq!(fault("chain:0"), PosetFault::NoElements);
    assert_eq!(fault("antichain:0"), PosetFault::NoElements);
    assert_eq!(fault("chains:3x0"), PosetFault::NoElements);
    assert_eq!(fault("divisors:0"), PosetFault::DivisorsOfZero);
    assert_eq!(fault("chain:300"), PosetFault::TooManyElements(300u16.into()));
    assert_eq!(fault("antichain:257"), PosetFault::TooManyElements(257u16.into()));
    assert_eq!(fault("chains:16x17"), PosetFault::TooManyElements(272u16.into()));
    let product = num_bigint::BigUint::from(1u8) << 80u8;
    assert_eq!(fault("chains:1099511627776x1099511627776"), PosetFault::TooManyElements(product));
    // 2^9 * 3^9 * 5^2 has 300 divisors.
    assert_eq!(fault("divisors:251942400"), PosetFault::TooManyElements(300u16.into()));
}

#[test]
fn messages_name_the_input_the_reason_and_the_limit() {
    let error = "chain:300".parse::<PosetSpec>().expect_err("too long");
    assert_eq!(error.to_string(), "chain:300: 300 elements are too many: the limit is 256");
    assert_eq!(error.hint(), "write `chain:n` with n from 1 to 256");
    let error = "boolean:9".parse::<PosetSpec>().expect_err("too many");
    assert_eq!(error.reason(), "9 points are too many: the limit is 8 (2^8 = 256 elements)");
    let error = "boolean:x".parse::<PosetSpec>().expect_err("no number");
    assert_eq!(error.reason(), "`x` is not a number");
}
