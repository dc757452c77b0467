//! Groups and what follows them become chains.

use crate::Note;
use crate::deployment::Group;
use crate::plan::{Chain, Plan, Tier, our_name};
use crate::settings::Settings;
use crate::theirs::clean;

/// Most tiers of a chain.
const MOST_TIERS: usize = 50;

/// A chain a group: its own tiers, then those of the groups that follow it.
pub(crate) fn chain_up(groups: &mut [Group], settings: &Settings, plan: &mut Plan, notes: &mut Vec<Note>) {
    for group in groups.iter_mut() {
        group.tiers.sort_by_key(|(order, _)| *order);
        if group.tiers.len() > 1 {
            let what =
                "its deployments shared the calls; here the first answers and the next when it cannot".into();
            notes.push(Note { about: clean(&group.name), what });
        }
    }
    for group in groups.iter() {
        let mut tiers: Vec<Tier> = Vec::new();
        add(&mut tiers, group);
        for name in following(&group.name, settings) {
            if let Some(next) = groups.iter().find(|other| other.name == name) {
                add(&mut tiers, next);
            } else {
                let what = format!("falls back to {}, which is not there or was left out", clean(&name));
                notes.push(Note { about: clean(&group.name), what });
            }
        }
        let name = free(&our_name(&group.name), plan);
        let mut aliases: Vec<String> = Vec::new();
        if name != group.name {
            aliases.push(group.name.clone());
        }
        let further = settings.aliases.iter().filter(|(_, target)| *target == group.name);
        aliases.extend(further.map(|(alias, _)| alias.clone()).filter(|alias| *alias != name));
        aliases.retain(|alias| !groups.iter().any(|other| other.name == *alias && other.name != group.name));
        plan.chains.push(Chain { name, aliases, tiers });
    }
    default(plan, notes);
}

fn add(tiers: &mut Vec<Tier>, group: &Group) {
    for (_, tier) in &group.tiers {
        if tiers.len() < MOST_TIERS && !tiers.iter().any(|known| known.is_same(tier)) {
            tiers.push(tier.clone());
        }
    }
}

/// Who follows a group: its own list, the list for all, the default one.
fn following(name: &str, settings: &Settings) -> Vec<String> {
    let own = settings.fallbacks.iter().filter(|(from, _)| from == name);
    let all = settings.fallbacks.iter().filter(|(from, _)| from == "*");
    let mut names: Vec<String> = own.chain(all).flat_map(|(_, next)| next.iter().cloned()).collect();
    names.extend(settings.default_fallbacks.iter().cloned());
    names.retain(|next| next != name);
    names
}

fn free(name: &str, plan: &Plan) -> String {
    let mut candidate = name.to_owned();
    let mut number = 2_u32;
    while plan.chains.iter().any(|chain| chain.name == candidate) {
        candidate = format!("{name}-{number}");
        number += 1;
    }
    candidate
}

/// A bare `mainstay chat` asks the chain `default`: their first group, where none has that name.
fn default(plan: &mut Plan, notes: &mut Vec<Note>) {
    if plan.chains.iter().any(|chain| chain.name == "default") {
        return;
    }
    let Some(first) = plan.chains.first() else { return };
    let what =
        format!("also became the chain default, which is asked where no other is named ({})", first.name);
    notes.push(Note { about: clean(&first.name), what });
    let chain = Chain { name: "default".into(), aliases: Vec::new(), tiers: first.tiers.clone() };
    plan.chains.insert(0, chain);
}
