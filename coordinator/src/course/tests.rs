use antichain_common::job::records::ValueShard;

use super::*;

const SHARDS: usize = 2;

fn cut() -> Cut {
    Cut { shards: vec![CutShard { bases: 1, slots: 1 }; SHARDS], edges: 3 }
}

fn shape(has_values: bool, duals: Vec<Option<usize>>) -> Shape {
    Shape { last_layer: duals.len() - 1, has_values, has_duals: false, duals }
}

/// A game of four layers.
fn game(has_duals: bool) -> Shape {
    Shape { has_duals, ..shape(true, vec![None; 4]) }
}

fn valued() -> ValuedShard {
    ValuedShard { shard: ValueShard { slots: 1, digest: String::new() }, counts: Vec::new() }
}

fn findings(task: Task) -> Findings {
    match task.kind {
        TaskKind::Enumerate => Findings::Enumerated { edges: 3 },
        TaskKind::Join => Findings::Joined { joined: 1u8.into() },
        TaskKind::Duals => Findings::Duals(valued()),
        _ => Findings::Solved(Solved { bases: 1, slots: 1, counts: Vec::new(), values: None, positions: None }),
    }
}

/// Does everything that can be done, the newest task first, and returns it in order.
fn walk(mut course: Course, restart_at: Option<usize>, shape: &Shape) -> Vec<String> {
    let mut log = Vec::new();
    let mut tasks = Vec::new();
    let mut stored: Vec<Task> = Vec::new();
    let mut steps: Vec<Step> = Vec::new();
    loop {
        if restart_at == Some(log.len()) {
            // What is stored is told again; what was handed out is handed out again, unless it is done.
            let mut after = Course::new(shape.clone(), cut());
            let complete = course.open;
            for layer in 0..complete {
                after.set_cut(layer, cut());
                after.complete(layer, 1);
            }
            (complete..=shape.last_layer)
                .filter(|&layer| course.cut(layer).is_some())
                .for_each(|layer| after.set_cut(layer, cut()));
            let is_open = |task: &&Task| task.kind == TaskKind::Duals || task.layer >= complete;
            stored.iter().filter(is_open).for_each(|&task| after.add(task, findings(task)));
            (course, tasks, steps) = (after, Vec::new(), Vec::new());
        }
        let next = course.advance();
        tasks.extend(next.tasks);
        steps.extend(next.steps);
        if let Some(step) = steps.pop() {
            match step {
                Step::Merge(layer) => course.set_cut(layer, cut()),
                Step::Settle(layer) => course.settle(layer, 1),
                Step::Complete(layer) => course.complete(layer, 1),
                Step::CompleteDuals(layer) => course.complete_duals(layer),
                Step::Conclude => {
                    log.push("conclude".to_owned());
                    return log;
                }
                Step::BeginAnew => unreachable!("that is a step of searches"),
            }
            log.push(format!("{step:?}"));
        } else {
            let task = tasks.pop().expect("something can always be done");
            assert!(!stored.contains(&task), "{task} twice");
            stored.push(task);
            course.add(task, findings(task));
            log.push(task.to_string());
        }
    }
}

#[test]
fn everything_is_done_once_and_in_an_order_that_its_inputs_allow() {
    for (has_values, duals) in [
        (true, vec![Some(0), Some(1), Some(2), Some(3)]),
        (true, vec![None, None, None, Some(2)]),
        (true, vec![None; 4]),
        (false, vec![None; 4]),
    ] {
        let joins = duals.iter().flatten().count();
        let shape = shape(has_values, duals);
        let log = walk(Course::new(shape.clone(), cut()), None, &shape);
        let at = |what: &str| log.iter().position(|line| line == what).unwrap_or_else(|| panic!("{what} in {log:?}"));
        // Enumerations of three layers, solutions of four, steps, the end.
        assert_eq!(log.len(), SHARDS * (3 + 4 + joins) + 3 + 4 + 4 + 1, "{log:?}");
        for layer in 1..4 {
            assert!(at(&format!("Merge({layer})")) < at(&format!("values of layer {layer}, shard 0")));
            assert!(at(&format!("Complete({})", layer - 1)) < at(&format!("Complete({layer})")));
            if has_values {
                assert!(at(&format!("Settle({})", layer - 1)) < at(&format!("values of layer {layer}, shard 1")));
            }
        }
        if joins > 0 {
            assert!(at("join over layer 3, shard 0") < at("Complete(3)"));
        }
    }
}

#[test]
fn duals_follow_from_the_last_layer_down_when_all_else_is_complete() {
    let shape = game(true);
    let log = walk(Course::new(shape.clone(), cut()), None, &shape);
    assert_eq!(log.len(), SHARDS * (3 + 4 + 4) + 3 + 4 + 4 + 4 + 1, "{log:?}");
    let at = |what: &str| log.iter().position(|line| line == what).unwrap_or_else(|| panic!("{what} in {log:?}"));
    assert!(at("Complete(3)") < at("values of the duals over layer 3, shard 1"));
    for layer in 0..3 {
        let above = format!("CompleteDuals({})", layer + 1);
        assert!(at(&above) < at(&format!("values of the duals over layer {layer}, shard 0")));
    }
    assert_eq!(log[log.len() - 2..], ["CompleteDuals(0)", "conclude"]);
    let without = walk(Course::new(game(false), cut()), None, &game(false));
    assert!(without.iter().all(|line| !line.contains("duals")), "{without:?}");
}

#[test]
fn turns_count_the_layers_of_both_sides() {
    let mut course = Course::new(game(true), cut());
    assert_eq!((course.turn(), course.last_turn()), (0, 7));
    (0..4).for_each(|layer| course.complete(layer, 1));
    assert_eq!(course.turn(), 4);
    [3, 2, 1].into_iter().for_each(|layer| course.complete_duals(layer));
    assert_eq!((course.turn(), course.is_complete()), (7, false));
    course.complete_duals(0);
    assert_eq!((course.turn(), course.is_complete()), (7, true));
    assert_eq!(Course::new(game(false), cut()).last_turn(), 3);
}

#[test]
fn a_restart_at_any_point_repeats_no_task() {
    for shape in [shape(true, vec![Some(0), Some(1), Some(2), Some(3)]), game(true), game(false)] {
        let length = walk(Course::new(shape.clone(), cut()), None, &shape).len();
        for restart in 0..length {
            walk(Course::new(shape.clone(), cut()), Some(restart), &shape);
        }
    }
}

#[test]
fn after_a_pause_the_open_tasks_are_those_that_are_not_done() {
    let shape = shape(true, vec![None; 2]);
    let mut course = Course::new(shape, cut());
    let mut tasks = course.advance().tasks;
    assert_eq!(tasks.len(), 2 * SHARDS, "two to enumerate, two to solve: {tasks:?}");
    let done = tasks.remove(1);
    course.add(done, findings(done));
    let mut open = course.open_tasks();
    open.sort_unstable();
    tasks.sort_unstable();
    assert_eq!(open, tasks);
}
