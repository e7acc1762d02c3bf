//! Variants of a scenario: the process is killed after each step of its last edit; its last edit is undone; it is
//! sent twice. Only the files are compared, not the replies.

use editd::testing::JobStep;
use std::sync::Arc;

use serde_json::{Value, json};

use super::format::{Scenario, ScenarioStep};
use super::machine::ScenarioMachine;
use super::player::{PlayResult, play};
use crate::tree::{FileTree, TreeNode};

/// Steps after which a death is worth a look: before them nothing has an effect that stays.
pub const DEADLY: [JobStep; 5] =
    [JobStep::CheckStaleness, JobStep::Stage, JobStep::Intend, JobStep::Swap, JobStep::Seal];

/// Returns the last edit of a scenario that was applied and during which others did nothing.
fn last_edit(scenario: &Scenario, played: &PlayResult) -> Option<usize> {
    (0..scenario.steps.len()).rev().find(|at| {
        let step = &scenario.steps[*at];
        let applied = played.replies.get(*at).and_then(Option::as_ref);
        let applied = applied.is_some_and(|reply| reply["status"] == "applied" && reply["repeated"] != true);
        step.edit.is_some() && applied && step.meanwhile.is_empty() && step.stop_after.is_none()
    })
}

/// Returns the scenario up to a step, without that step and without expectations of the final state.
fn until(scenario: &Scenario, step: usize) -> Scenario {
    let mut scenario = scenario.clone();
    scenario.steps.truncate(step);
    scenario.after.clear();
    scenario
}

/// Makes a machine with an empty workspace.
pub type NewMachine = dyn Fn() -> Arc<dyn ScenarioMachine>;

/// Plays a scenario and returns its final state.
fn end(scenario: &Scenario, fresh: &NewMachine) -> (FileTree, PlayResult) {
    let machine = fresh();
    let played = play(scenario, &machine);
    (seen(machine.as_ref()), played)
}

/// Without folders: a job makes those on its way, and nothing takes them away again.
fn seen(machine: &dyn ScenarioMachine) -> FileTree {
    let mut tree = machine.tree();
    tree.nodes.retain(|_, node| !matches!(node, TreeNode::Folder(_)));
    tree
}

/// A step that happens and of which nothing is expected.
fn silent(step: &ScenarioStep) -> ScenarioStep {
    ScenarioStep { expect: Some(json!({})), world: Default::default(), ..step.clone() }
}

/// Plays the scenario once for each step of its last edit after which the process may be killed. Before the intent
/// nothing of the job may be applied, from the intent on all of it.
pub fn dies_at_every_step(scenario: &Scenario, fresh: &NewMachine) -> Vec<String> {
    let (_, played) = end(scenario, fresh);
    let Some(at) = last_edit(scenario, &played) else { return Vec::new() };
    let before = end(&until(scenario, at), fresh).0;
    let whole = until(scenario, at + 1);
    let after = end(&whole, fresh).0;
    let mut found = Vec::new();
    for step in DEADLY {
        let mut deadly = whole.clone();
        deadly.steps[at] = ScenarioStep {
            stop_after: Some(step),
            expect: None,
            save: Default::default(),
            ..silent(&scenario.steps[at])
        };
        let (now, played) = end(&deadly, fresh);
        let should = if step < JobStep::Intend { &before } else { &after };
        let differences = should.differences(&now);
        found.extend(
            differences
                .into_iter()
                .chain(played.unopened)
                .map(|what| format!("step {} dies after {step:?}: {what}", at + 1)),
        );
    }
    found
}

/// Plays the scenario up to its last edit and undoes that: the files must be as before it.
pub fn is_undone(scenario: &Scenario, fresh: &NewMachine) -> Vec<String> {
    let (_, played) = end(scenario, fresh);
    let Some(at) = last_edit(scenario, &played) else { return Vec::new() };
    let before = end(&until(scenario, at), fresh).0;
    let mut undone = until(scenario, at + 1);
    undone.steps[at] = silent(&scenario.steps[at]);
    undone.steps[at].save.insert("variant".to_owned(), "job".to_owned());
    let undo = ScenarioStep {
        undo: Some(json!({"jobs": ["$variant"]})),
        session: scenario.steps[at].session.clone(),
        expect: Some(json!({"status": "applied"})),
        ..ScenarioStep::default()
    };
    undone.steps.push(undo);
    let (now, _) = end(&undone, fresh);
    before.differences(&now).into_iter().map(|what| format!("step {} undone: {what}", at + 1)).collect()
}

/// Plays the scenario up to its last edit and sends that again with the same key: it must be the same job.
pub fn is_sent_twice(scenario: &Scenario, fresh: &NewMachine) -> Vec<String> {
    let (_, played) = end(scenario, fresh);
    let Some(at) = last_edit(scenario, &played) else { return Vec::new() };
    let after = end(&until(scenario, at + 1), fresh).0;
    let mut twice = until(scenario, at + 1);
    let mut keyed = silent(&scenario.steps[at]);
    let body = scenario.steps[at].request().ok().flatten().map(|(_, body)| body);
    let Some(Value::Object(mut body)) = body else { return Vec::new() };
    body.entry("key").or_insert_with(|| "variant".into());
    keyed.edit = Some(Value::Object(body));
    twice.steps[at] = keyed.clone();
    twice.steps.push(keyed);
    let (now, played) = end(&twice, fresh);
    let mut found: Vec<String> = after.differences(&now);
    let last = played.replies.last().and_then(Option::as_ref);
    if last.is_none_or(|reply| reply["repeated"] != true) {
        found.push(format!("the second reply is not the first one again: {last:?}"));
    }
    found.into_iter().map(|what| format!("step {} sent twice: {what}", at + 1)).collect()
}
