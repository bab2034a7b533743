//! `antichain show`: the tables and figures of the paper on coin-turning games, computed anew.

use antichain_common::game::coins::{GrundyFunction, TurningGame, ruler_sequence};
use antichain_common::game::set_partitions::heights;
use antichain_common::poset::PosetError;
use antichain_common::poset::covers::{CoverPoset, Hasse};
use serde::Serialize;

use super::turning::triangle;
use crate::args::{Exhibit, Global, ShowArgs};
use crate::output::{document, result, table};
use crate::remote::place;

/// Numbers that Table 1 goes up to.
const TABLE_1: u64 = 15;
/// Dimensions that Table 2 goes up to.
const TABLE_2: usize = 14;
/// Numbers that Table 4 goes up to.
const TABLE_4: usize = 17;

/// Runs the command.
pub fn execute(global: &Global, args: &ShowArgs) -> anyhow::Result<()> {
    place::here(global)?;
    let exhibit = exhibit(args.exhibit)?;
    if global.json { document(&exhibit) } else { Ok(result(&format!("{}\n{}", exhibit.title, exhibit.text))?) }
}

/// A table or figure.
#[derive(Debug, Serialize)]
struct Shown {
    title: &'static str,
    /// As the text shows it.
    #[serde(skip)]
    text: String,
    /// The values, row by row; what a row is, its name says.
    rows: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    name: String,
    values: Vec<u64>,
}

impl Shown {
    /// A table with a name before each row.
    fn table(title: &'static str, rows: Vec<Row>) -> Self {
        let line = |row: &Row| std::iter::once(row.name.clone()).chain(row.values.iter().map(u64::to_string)).collect();
        Self { title, text: table(&rows.iter().map(line).collect::<Vec<_>>(), 1), rows }
    }
}

fn exhibit(exhibit: Exhibit) -> Result<Shown, PosetError> {
    let row = |name: &str, values: Vec<u64>| Row { name: name.to_owned(), values };
    Ok(match exhibit {
        Exhibit::Table1 => Shown::table(
            "Table 1. The ruler sequence: R(x) is the largest power of 2 that divides x",
            vec![
                row("x", (1..=TABLE_1).collect()),
                row("d_min(x)", (1..=TABLE_1).map(|x| x.trailing_zeros().into()).collect()),
                row("R(x)", (0..TABLE_1).map(ruler_sequence).collect()),
            ],
        ),
        Exhibit::Table2 => {
            let by_dimension = |q: u64| -> Result<Vec<u64>, PosetError> {
                let poset: CoverPoset = format!("subspaces:{TABLE_2}:{q}").parse()?;
                let grundy = GrundyFunction::new(TurningGame::Ruler, &poset);
                Ok(grundy.by_rank().map(|value| (0..=TABLE_2).map(value).collect()).unwrap_or_default())
            };
            Shown::table(
                "Table 2. The ruler on subspaces, by dimension d",
                vec![
                    row("d", (0..=TABLE_2 as u64).collect()),
                    row("q even", by_dimension(2)?),
                    row("q odd", by_dimension(3)?),
                ],
            )
        }
        Exhibit::Table3 => {
            let poset: CoverPoset = "asm:16".parse()?;
            let grundy = GrundyFunction::new(TurningGame::Ruler, &poset);
            by_rank_and_z("Table 3. The ruler on A_16, by rank and z", &grundy, triangle)
        }
        Exhibit::Table4 => Shown::table(
            "Table 4. The ruler on set partitions: h(n), the value of the partition of n elements into one block",
            vec![
                row("n", (1..=TABLE_4 as u64).collect()),
                row("h(n)", heights(TABLE_4).into_iter().map(u64::from).collect()),
            ],
        ),
        Exhibit::Figure4 => diagram(
            "Figure 4. Divisors of 12, the order ideal game (A) and the ruler (B)",
            "divisors:12",
            &[("A", TurningGame::OrderIdealGame), ("B", TurningGame::Ruler)],
        )?,
        Exhibit::Figure5 => diagram(
            "Figure 5. The ruler on the subspaces of the 3-dimensional space over F_2",
            "subspaces:3:2",
            &[("value", TurningGame::Ruler)],
        )?,
        Exhibit::Figure7 => figure7()?,
    })
}

/// A Hasse diagram as a table: the elements from the top rank down, with what they cover and their values.
fn diagram(title: &'static str, poset: &str, games: &[(&str, TurningGame)]) -> Result<Shown, PosetError> {
    let poset: CoverPoset = poset.parse()?;
    let relation = poset.relation();
    // The posets of the figures are small.
    let Ok(hasse) = Hasse::of(relation, 1000) else {
        return Ok(Shown { title, text: String::new(), rows: Vec::new() });
    };
    let functions: Vec<GrundyFunction<'_>> = games.iter().map(|&(_, game)| GrundyFunction::new(game, &poset)).collect();
    let mut head = vec!["rank".to_owned(), "element".to_owned(), "covers".to_owned()];
    head.extend(games.iter().map(|(name, _)| (*name).to_owned()));
    let (mut lines, mut rows) = (vec![head], Vec::new());
    for x in (0..hasse.elements().len()).rev() {
        let element = &hasse.elements()[x];
        let covers: Vec<String> =
            hasse.lower_covers(x).iter().map(|&y| relation.label(&hasse.elements()[y as usize])).collect();
        let values: Vec<u64> = functions.iter().map(|function| function.of(element)).collect();
        let mut line = vec![hasse.rank(x).to_string(), relation.label(element), covers.join(" ")];
        line.extend(values.iter().map(u64::to_string));
        lines.push(line);
        rows.push(Row { name: relation.label(element), values });
    }
    Ok(Shown { title, text: table(&lines, 3), rows })
}

/// The order ideal game on A_n: points by rank and z, filled where the value is 1.
fn figure7() -> Result<Shown, PosetError> {
    let poset: CoverPoset = "asm:12".parse()?;
    let grundy = GrundyFunction::new(TurningGame::OrderIdealGame, &poset);
    let title = "Figure 7. The order ideal game on A_12 (of A_n as far as it goes): points with value 1 are filled";
    Ok(by_rank_and_z(title, &grundy, points))
}

/// Values on A_n, and the way to show them.
fn by_rank_and_z(title: &'static str, grundy: &GrundyFunction<'_>, show: fn(&[Vec<u64>]) -> String) -> Shown {
    let rows = grundy.rows().unwrap_or_default();
    let text = show(&rows);
    let named = rows.into_iter().enumerate().map(|(rank, values)| Row { name: format!("rank {rank}"), values });
    Shown { title, text, rows: named.collect() }
}

/// Points for values: ranks to the right, z upwards.
fn points(rows: &[Vec<u64>]) -> String {
    let head = std::iter::once("z\\rank".to_owned()).chain((0..rows.len()).map(|rank| rank.to_string()));
    let mut lines = vec![head.collect::<Vec<_>>()];
    for z in (0..rows.len()).rev() {
        let point = |row: &Vec<u64>| match row.get(z) {
            Some(1) => "●",
            Some(_) => "○",
            None => "",
        };
        lines.push(std::iter::once(z.to_string()).chain(rows.iter().map(|row| point(row).to_owned())).collect());
    }
    table(&lines, 0)
}
