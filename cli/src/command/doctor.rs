//! `antichain doctor`: whether everything is well, and what to do where it is not.

use std::path::Path;

use serde::Serialize;

use crate::args::{DoctorArgs, Global};
use crate::doctor::directory::Thoroughness;
use crate::doctor::{Finding, Health, cluster, directory, machine};
use crate::output::{document, result};
use crate::remote::place;

/// Something is wrong: what, was said.
#[derive(Debug, thiserror::Error)]
#[error("{0} of what was looked at is wrong")]
pub struct Unwell(usize);

/// What was seen.
#[derive(Debug, Serialize)]
struct Report<'a> {
    well: bool,
    findings: &'a [Finding],
}

/// Runs the command.
pub fn execute(global: &Global, args: &DoctorArgs) -> anyhow::Result<()> {
    let mut findings = machine::look();
    let how = Thoroughness { is_thorough: args.thorough, repairs: args.repair };
    // Who names a coordinator and no directory wants to hear of the coordinator.
    if global.coordinator.is_none() || global.data.is_some() {
        let data = global.data.as_deref().unwrap_or(Path::new(place::DEFAULT_DATA));
        findings.extend(directory::look(data, global.data.is_some() || args.repair, how));
    }
    let is_known = || place::access_file(global).is_ok_and(|file| file.exists());
    if global.coordinator.is_some() || global.access_file.is_some() || (global.data.is_none() && is_known()) {
        match place::target(global) {
            Ok(target) => findings.extend(cluster::look(target)),
            Err(error) => findings.push(Finding::of_error("coordinator", error)),
        }
    }
    let wrong = findings.iter().filter(|finding| finding.health == Health::Wrong).count();
    if global.json {
        document(&Report { well: wrong == 0, findings: &findings })?;
    } else {
        result(&shown(&findings))?;
    }
    if wrong > 0 { Err(Unwell(wrong).into()) } else { Ok(()) }
}

/// The findings for people, a line each, and a line for what to do.
fn shown(findings: &[Finding]) -> String {
    let mut text = String::new();
    for Finding { about, health, seen, hint } in findings {
        let word = match health {
            Health::Well => "well",
            Health::Doubtful => "doubtful",
            Health::Wrong => "WRONG",
        };
        text += &format!("{word:<9} {about}: {seen}\n");
        if let Some(hint) = hint {
            text += &format!("{:<9} -> {hint}\n", "");
        }
    }
    text
}
