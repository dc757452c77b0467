//! Vectors: send, read, check; again on the same tier where that may help, and never on another.
//!
//! Vectors of two models do not mix (behaviour 11.6), so a request walks one tier: the one that is named, or
//! the first of a chain that makes embeddings.

use std::sync::Arc;

use mainstay_canon::{EmbedRequest, EmbedResponse, Failure, Kind, Target, WireVectors};
use mainstay_config::BareModels;
use mainstay_cost::Purpose;
use mainstay_dialects::Wanted;

use super::record::Came;
use super::resolve::Resolved;
use super::trip::{Prepared, Trip, embeddings_of};
use super::whole::{body_of, refined};
use super::{CallOptions, ChainRuntime, Engine, Route, TierRuntime};
use crate::gave_up::GaveUp;

/// Bodies above this many bytes are read away from the runtime's own threads.
const LARGE_BODY: usize = 512 * 1024;

/// Asks one tier for vectors.
///
/// # Errors
///
/// [`GaveUp`] with every attempt.
pub(crate) async fn embed(
    engine: Arc<Engine>,
    route: Route,
    request: EmbedRequest,
    options: CallOptions,
) -> Result<EmbedResponse, GaveUp> {
    let wanted = Wanted::of(&request);
    let route = on_one_tier(route);
    let mut trip = Trip::start_embedding(engine, route, request, options);
    loop {
        let prepared = match trip.next().await {
            Ok(prepared) => prepared,
            Err(none) => return Err(trip.no_vectors(none)),
        };
        let mut came = Came::default();
        match fetch(&mut trip, prepared, wanted, &mut came).await {
            Ok(vectors) => return trip.embedded(vectors, came),
            Err(failure) => trip.failed(failure, came),
        }
    }
}

/// Sends one attempt and reads its vectors within the time it has.
async fn fetch(
    trip: &mut Trip,
    prepared: Prepared,
    wanted: Wanted,
    came: &mut Came,
) -> Result<WireVectors, Failure> {
    let limit = prepared.tier.timeouts.answer.min(prepared.time_left);
    tokio::time::timeout(limit, exchange(trip, prepared, wanted, came)).await.map_err(|_| {
        Failure::new(Kind::TimeoutTotal, format!("no vectors within {:.1} s", limit.as_secs_f64()))
    })?
}

async fn exchange(
    trip: &mut Trip,
    prepared: Prepared,
    wanted: Wanted,
    came: &mut Came,
) -> Result<WireVectors, Failure> {
    let Prepared { tier, outbound, .. } = prepared;
    let embeddings = embeddings_of(&tier)?;
    let (reply, body) = body_of(trip, &tier, tier.provider.upstream, outbound, came).await?;
    let (read, body) = if body.len() > LARGE_BODY {
        let reading = tokio::task::spawn_blocking(move || (embeddings.read_reply(wanted, &body), body));
        reading.await.map_err(|_| Failure::new(Kind::InvalidResponse, "the vectors could not be read"))?
    } else {
        (embeddings.read_reply(wanted, &body), body)
    };
    read.map_err(|failure| refined(trip, tier.provider, &reply, &body, failure))
}

impl Engine {
    /// Finds the tier that a name means for embeddings: of a chain or an alias the first that makes them,
    /// else `provider/model`, or a bare model name. No name means `default`. Whether that model makes
    /// embeddings at all is told when it is asked.
    ///
    /// # Errors
    ///
    /// [`UnknownModel`](super::UnknownModel), which lists what exists.
    pub fn resolve_embedding(&self, name: Option<&str>) -> Resolved {
        let name = name.filter(|name| !name.is_empty());
        let chain = match name {
            None => self.config.default_chain(),
            Some(name) => self.config.chain_for(name),
        };
        let found = chain.and_then(|chain| self.whole_chain(&chain.name)).or_else(|| {
            let name = name?;
            let target = Target::parse(name);
            target.and_then(|target| self.by_target(&target)).or_else(|| {
                match self.config.server.bare_models {
                    BareModels::Refuse => None,
                    BareModels::Alone | BareModels::ThenDefault => {
                        self.by_target(&self.config.serving(name)?)
                    }
                }
            })
        });
        found.map(on_one_tier).ok_or_else(|| self.unknown(name.unwrap_or("default")))
    }

    /// Whether that name, one of [`Self::model_names`], stands for embeddings and nothing else.
    pub fn only_embeds(&self, name: &str) -> bool {
        let tier = |target: &Target| {
            let mut tiers = self.chains.values().flat_map(|chain| &chain.tiers);
            tiers.find(|tier| tier.target == *target).is_some_and(|tier| embeds(tier))
        };
        match self.chains.get(name) {
            Some(chain) => chain.tiers.iter().all(|tier| embeds(tier)),
            None => Target::parse(name).is_some_and(|target| tier(&target)),
        }
    }
}

/// The route cut down to one model: what it names, else the first of its chain that makes embeddings. Several
/// places of it are the same model under keys of separate accounts.
fn on_one_tier(route: Route) -> Route {
    let Some(place) = chosen(&route) else { return route };
    let Some(tier) = route.chain.tiers.get(place) else { return route };
    match *route.chain.places_of(&tier.target).as_slice() {
        [place] => Route { only: Some(place), order: None, ..route },
        ref places => Route { only: None, order: Some(places.to_vec()), ..route },
    }
}

fn chosen(route: &Route) -> Option<usize> {
    let named = route.only.or_else(|| route.order.as_ref()?.first().copied());
    named.or_else(|| first_that_embeds(&route.chain))
}

/// The first tier that is known to make embeddings; else the first of which nobody knows what it does and
/// whose provider has some; else the first.
fn first_that_embeds(chain: &ChainRuntime) -> Option<usize> {
    let first = |holds: fn(&TierRuntime) -> bool| {
        chain.tiers.iter().position(|tier| !tier.static_fallback && holds(tier))
    };
    first(embeds)
        .or_else(|| first(|tier| tier.model.is_none() && tier.provider.upstream.embeddings().is_some()))
        .or_else(|| first(|_| true))
}

/// Whether a tier's model makes embeddings and nothing else.
fn embeds(tier: &TierRuntime) -> bool {
    tier.model.as_ref().is_some_and(|model| model.purpose == Purpose::Embedding)
}
