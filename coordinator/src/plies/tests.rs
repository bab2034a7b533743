use std::collections::BTreeMap;

use antichain_common::job::search::OpenOption;
use proptest::prelude::*;

use super::*;

/// A game on the numbers below some one: the options of each are some that are smaller.
#[derive(Clone, Debug)]
struct Game(Vec<Vec<usize>>);

impl Game {
    /// Whether who is to move loses, by the definition.
    fn is_lost(&self, position: usize) -> bool {
        self.0[position].iter().all(|&option| !self.is_lost(option))
    }

    fn options(&self, position: &str) -> Option<Options> {
        let number: usize = position.parse().ok()?;
        let options = &self.0[number];
        if options.is_empty() || options.contains(&0) {
            // 0 is lost, and everybody knows.
            return Some(Options::Settled { is_lost: options.is_empty() });
        }
        let mut options: Vec<usize> = options.clone();
        options.sort_unstable();
        options.dedup();
        let option = |number: usize| OpenOption { position: number.to_string(), size: number };
        Some(Options::Open(options.into_iter().map(option).collect()))
    }

    fn plies(&self, record: &PliesRecord, next_order: usize) -> Plies {
        let root = self.0.len() - 1;
        let mut plies = Plies::new((root.to_string(), root), 1000.0, record, next_order);
        plies.restore(record, &|position| self.options(position));
        plies
    }
}

fn games() -> impl Strategy<Value = Game> {
    let options = |number: usize| prop::collection::vec(0..number.max(1), if number == 0 { 0..1 } else { 1..4 });
    (3usize..14).prop_flat_map(move |len| (0..len).map(options).collect::<Vec<_>>()).prop_map(|mut options| {
        options[0].clear();
        Game(options)
    })
}

fn searched(game: &Game, position: &str, is_settled: bool) -> Searched {
    let number: usize = position.parse().expect("a number");
    let is_lost = is_settled.then(|| game.is_lost(number));
    Searched { position: position.to_owned(), is_lost, nodes: 10, settled: 1 }
}

proptest! {
    /// Whatever workers come, go and answer, and whenever the coordinator is restarted: the outcome is that of the definition,
    /// and as long as it is not known there is something to do.
    #[test]
    fn any_history_comes_to_the_outcome(
        game in games(),
        steps in prop::collection::vec((0usize..4, prop::bool::weighted(0.4), prop::bool::weighted(0.1)), 1..60),
    ) {
        let expand = |position: &str| game.options(position);
        let mut plies = game.plies(&PliesRecord::default(), 0);
        let mut stored: BTreeMap<usize, Searched> = BTreeMap::new();
        let mut record = plies.record().clone();
        for (which, is_settled, restarts) in steps {
            if restarts {
                plies = game.plies(&record, stored.keys().last().map_or(0, |last| last + 1));
                for (&number, answer) in &stored {
                    plies.answer(number, answer);
                }
            }
            plies.give(1, &expand);
            let open: Vec<usize> = plies.open_orders().collect();
            let Some(&number) = open.get(which % open.len().max(1)) else { continue };
            let position = plies.order(number).expect("it is open").position.clone();
            let answer = searched(&game, &position, is_settled);
            plies.answer(number, &answer);
            stored.insert(number, answer);
            record = plies.record().clone();
        }
        let truth = game.is_lost(game.0.len() - 1);
        for _ in 0..200 {
            if plies.outcome().is_some() {
                break;
            }
            let number = plies.give(1, &expand).or_else(|| plies.open_orders().next());
            let Some(number) = number else { continue };
            let position = plies.order(number).expect("it is open").position.clone();
            plies.answer(number, &searched(&game, &position, true));
        }
        prop_assert_eq!(plies.outcome(), Some(truth));
    }
}

/// 6 has the options 4 and 5, 5 has 3, 4 and 4 has 2, 3; nobody knows more.
fn example() -> Game {
    Game(vec![vec![], vec![], vec![1], vec![1], vec![2, 3], vec![3, 4], vec![4, 5]])
}

#[test]
fn workers_get_leaves_of_their_own_at_first() {
    let game = example();
    let expand = |position: &str| game.options(position);
    let mut plies = game.plies(&PliesRecord::default(), 0);
    let at =
        |plies: &Plies, number: Option<usize>| plies.order(number.expect("an order")).expect("open").position.clone();
    let one = plies.give(1, &expand);
    let two = plies.give(2, &expand);
    assert_eq!((at(&plies, one), at(&plies, two)), ("4".to_owned(), "5".to_owned()), "the cheapest first");
    assert_eq!(plies.order(1).map(|order| order.nodes), Some(2 * FIRST_NODES));
    // Nobody knows whether they are large enough for two: the dearer is split, and who has it goes on with its first option.
    let three = plies.give(1, &expand);
    assert_eq!(at(&plies, three), "3");
    assert_eq!(plies.record().split, ["6", "5"]);
    assert_eq!(plies.status().searched_now.len(), 3);
}

#[test]
fn some_workers_search_a_large_leaf_together() {
    let game = example();
    let expand = |position: &str| game.options(position);
    let mut plies = game.plies(&PliesRecord::default(), 0);
    let [one, two] = [1, 1].map(|threads| plies.give(threads, &expand).expect("an order"));
    plies.answer(one, &searched(&game, "4", false));
    plies.answer(two, &searched(&game, "5", false));
    let orders: Vec<Order> = (0..6)
        .map(|_| {
            let number = plies.give(1, &expand).expect("an order");
            plies.order(number).expect("open").clone()
        })
        .collect();
    assert_eq!(orders.iter().map(|order| &*order.position).collect::<String>(), "444455");
    assert!(orders.iter().all(|order| order.nodes == LEAST_NODES), "{orders:?}");
    // Two answers about the same leaf are nobody's fault.
    plies.answer(2, &searched(&game, "4", true));
    plies.answer(3, &searched(&game, "4", true));
    assert!([4, 5].iter().all(|number| plies.idle_orders().contains(number)), "the others need not go on");
}

#[test]
fn orders_on_which_nothing_depends_are_idle() {
    // 4 is lost, so that 6 is won whatever 5 is.
    let game = Game(vec![vec![], vec![], vec![1], vec![1], vec![2, 3], vec![3, 4], vec![4, 5]]);
    let expand = |position: &str| game.options(position);
    let mut plies = game.plies(&PliesRecord::default(), 0);
    let (one, two) = (plies.give(1, &expand), plies.give(1, &expand));
    assert!(plies.idle_orders().is_empty());
    let lost = Searched { position: "4".to_owned(), is_lost: Some(true), nodes: 5, settled: 0 };
    plies.answer(one.expect("an order"), &lost);
    assert_eq!((plies.outcome(), plies.idle_orders()), (Some(false), two.into_iter().collect()));
    plies.withdraw(1);
    assert_eq!(plies.open_orders().count(), 0);
    let status = plies.status();
    assert_eq!((status.options, status.proving), (Tally { all: 2, won: 0, lost: 1 }, true));
}
