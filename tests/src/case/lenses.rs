//! Variants of a scenario: the process is killed after each step of its last edit; its last edit is undone; it is
//! sent twice. Only the files are compared, not the replies.

use std::path::Path;

use serde_json::{Value, json};

use super::desk::{Open, StepName};
use super::play::{Played, Scratch, play};
use super::story::{Scenario, ScenarioStep};
use crate::tree::{Node, Tree};

/// Steps after which a death is worth a look: before them nothing has an effect that stays.
pub const DEADLY: [StepName; 5] =
    [StepName::Judge, StepName::Stage, StepName::Intend, StepName::Swap, StepName::Seal];

/// Returns the last edit of a scenario that was applied and during which others did nothing.
fn last_edit(story: &Scenario, played: &Played) -> Option<usize> {
    (0..story.steps.len()).rev().find(|at| {
        let step = &story.steps[*at];
        let applied = played.replies.get(*at).and_then(Option::as_ref);
        let applied = applied.is_some_and(|reply| reply["status"] == "applied" && reply["repeated"] != true);
        step.edit.is_some() && applied && step.meanwhile.is_empty() && step.stop_after.is_none()
    })
}

/// Returns the scenario up to a step, without that step and without expectations of the final state.
fn until(story: &Scenario, step: usize) -> Scenario {
    let mut story = story.clone();
    story.steps.truncate(step);
    story.after.clear();
    story
}

/// Plays a scenario and returns its final state.
fn end(story: &Scenario, open: &Open) -> (Tree, Played) {
    let scratch = Scratch::new();
    let played = play(story, &scratch, open);
    (seen(&scratch.root()), played)
}

/// Without folders: a job makes those on its way, and nothing takes them away again.
fn seen(root: &Path) -> Tree {
    let mut tree = Tree::of(root);
    tree.nodes.retain(|_, node| !matches!(node, Node::Folder(_)));
    tree
}

/// A step that happens and of which nothing is expected.
fn silent(step: &ScenarioStep) -> ScenarioStep {
    ScenarioStep { expect: Some(json!({})), world: Default::default(), ..step.clone() }
}

/// Plays the scenario once for each step of its last edit after which the process may be killed. Before the intent
/// nothing of the job may be applied, from the intent on all of it.
pub fn dies_at_every_step(story: &Scenario, open: &Open) -> Vec<String> {
    let (_, played) = end(story, open);
    let Some(at) = last_edit(story, &played) else { return Vec::new() };
    let before = end(&until(story, at), open).0;
    let whole = until(story, at + 1);
    let after = end(&whole, open).0;
    let mut found = Vec::new();
    for step in DEADLY {
        let mut deadly = whole.clone();
        deadly.steps[at] = ScenarioStep {
            stop_after: Some(step),
            expect: None,
            save: Default::default(),
            ..silent(&story.steps[at])
        };
        let (now, _) = end(&deadly, open);
        let should = if step < StepName::Intend { &before } else { &after };
        let differences = should.differences(&now);
        found.extend(
            differences.into_iter().map(|what| format!("step {} dies after {step:?}: {what}", at + 1)),
        );
    }
    found
}

/// Plays the scenario up to its last edit and undoes that: the files must be as before it.
pub fn is_undone(story: &Scenario, open: &Open) -> Vec<String> {
    let (_, played) = end(story, open);
    let Some(at) = last_edit(story, &played) else { return Vec::new() };
    let before = end(&until(story, at), open).0;
    let mut undone = until(story, at + 1);
    undone.steps[at] = silent(&story.steps[at]);
    undone.steps[at].save.insert("lens".to_owned(), "job".to_owned());
    let undo = ScenarioStep {
        undo: Some(json!({"jobs": ["$lens"]})),
        session: story.steps[at].session.clone(),
        expect: Some(json!({"status": "applied"})),
        ..ScenarioStep::default()
    };
    undone.steps.push(undo);
    let (now, _) = end(&undone, open);
    before.differences(&now).into_iter().map(|what| format!("step {} undone: {what}", at + 1)).collect()
}

/// Plays the scenario up to its last edit and sends that again with the same key: it must be the same job.
pub fn is_sent_twice(story: &Scenario, open: &Open) -> Vec<String> {
    let (_, played) = end(story, open);
    let Some(at) = last_edit(story, &played) else { return Vec::new() };
    let after = end(&until(story, at + 1), open).0;
    let mut twice = until(story, at + 1);
    let mut keyed = silent(&story.steps[at]);
    let body = story.steps[at].request().ok().flatten().map(|(_, body)| body);
    let Some(Value::Object(mut body)) = body else { return Vec::new() };
    body.entry("key").or_insert_with(|| "lens".into());
    keyed.edit = Some(Value::Object(body));
    twice.steps[at] = keyed.clone();
    twice.steps.push(keyed);
    let (now, played) = end(&twice, open);
    let mut found: Vec<String> = after.differences(&now);
    let last = played.replies.last().and_then(Option::as_ref);
    if last.is_none_or(|reply| reply["repeated"] != true) {
        found.push(format!("the second reply is not the first one again: {last:?}"));
    }
    found.into_iter().map(|what| format!("step {} sent twice: {what}", at + 1)).collect()
}
