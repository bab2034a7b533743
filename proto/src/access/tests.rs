//! The access file: for its owner alone, whole or not there, and removed only by who wrote it.

use super::*;

fn access() -> Access {
    let token = Token::random().expect("random");
    Access { host: "127.0.0.1".into(), port: 7461, token, version: "0.1.0".into(), tls_ca: None }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("there").permissions().mode() & 0o7777
}

#[test]
fn what_is_written_is_read_by_its_owner_alone() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let file = home.path().join("deep/er/access.json");
    let written = access();
    written.write(&file).expect("written");
    assert_eq!(Access::read(&file).expect("read"), written);
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(&home.path().join("deep/er")), 0o700);
    let names: Vec<_> = fs::read_dir(home.path().join("deep/er")).expect("there").collect();
    assert_eq!(names.len(), 1, "nothing is left over: {names:?}");
}

#[test]
fn the_document_is_the_promised_one() {
    let mut access = access();
    let text = serde_json::to_value(&access).expect("JSON");
    let fields: Vec<_> = text.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(fields, ["host", "port", "token", "version"]);
    assert_eq!(text["token"], access.token.secret());
    assert_eq!(access.url().to_string(), "http://127.0.0.1:7461");
    access.tls_ca = Some("PEM".into());
    assert_eq!(access.url().to_string(), "https://127.0.0.1:7461");
}

#[test]
fn a_file_that_others_may_read_or_write_is_refused() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let file = home.path().join("access.json");
    access().write(&file).expect("written");
    for open in [0o640, 0o620, 0o604, 0o602, 0o644] {
        fs::set_permissions(&file, fs::Permissions::from_mode(open)).expect("set");
        let error = Access::read(&file).expect_err("refused");
        assert!(matches!(error, AccessError::Open { mode, .. } if mode == open), "{error}");
        assert!(error.to_string().contains(&format!("mode {open:04o}")), "{error}");
    }
    fs::set_permissions(&file, fs::Permissions::from_mode(0o400)).expect("set");
    assert!(Access::read(&file).is_ok(), "read by its owner alone");
}

#[test]
fn what_is_not_there_or_no_access_file_is_told_apart() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let file = home.path().join("access.json");
    assert!(matches!(Access::read(&file), Err(AccessError::Missing { .. })));
    fs::write(&file, "{\"host\": 1}").expect("written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("set");
    assert!(matches!(Access::read(&file), Err(AccessError::NotUnderstood { .. })));
}

#[test]
fn only_its_own_file_is_removed() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let file = home.path().join("access.json");
    let (first, second) = (access(), access());
    first.write(&file).expect("written");
    second.write(&file).expect("written over it");
    assert!(!first.remove(&file).expect("looked"), "it belongs to the second by now");
    assert_eq!(Access::read(&file).expect("read"), second);
    assert!(second.remove(&file).expect("removed"));
    assert!(!file.exists());
    assert!(!second.remove(&file).expect("nothing there"));
}

#[test]
fn what_cannot_be_written_leaves_what_was_there() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let file = home.path().join("access.json");
    fs::create_dir(&file).expect("made");
    assert!(matches!(access().write(&file), Err(AccessError::Write { .. })));
    let names: Vec<_> = fs::read_dir(home.path()).expect("there").collect();
    assert_eq!(names.len(), 1, "nothing is left over: {names:?}");
}
