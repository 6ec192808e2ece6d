//! The inference side: how many servers it lends or asks back.

use super::engine::{Engine, Exchange};
use super::{Forecast, Setup};
use crate::cluster::Pool;
use crate::loan::{Demand, Fleet, LoanController, LoanPolicy, SeasonalNaive};

/// The inference side, with what it remembers.
#[derive(Clone, Debug)]
pub(super) struct Lender {
    /// `None` where there is no inference cluster, or the policy takes no loans.
    lending: Option<(Fleet, LoanController)>,
    forecast: Forecast,
    season: Option<SeasonalNaive>,
}

impl Lender {
    /// The setup has been checked.
    pub(super) fn new(setup: &Setup, policy: Option<LoanPolicy>) -> Self {
        let fleet = setup.fleet().ok().flatten();
        let season = match setup.forecast {
            Forecast::Seasonal { period } => SeasonalNaive::new(period.max(1)).ok(),
            Forecast::Exact | Forecast::Naive => None,
        };
        Self { lending: fleet.zip(policy.map(LoanController::new)), forecast: setup.forecast, season }
    }

    /// How many servers to lend or to ask back now.
    pub(super) fn decide(&mut self, engine: &Engine<'_>) -> Exchange {
        let Some((fleet, controller)) = &mut self.lending else { return Exchange::default() };
        let now = engine.load_at(engine.now);
        let Ok(busy) = Demand::from_load(now, now, fleet) else { return Exchange::default() };
        let demand = match self.forecast {
            Forecast::Exact => {
                Demand::from_load(now, engine.load_at(engine.now + engine.intervals.loan), fleet)
                    .unwrap_or(busy)
            }
            Forecast::Naive => busy,
            Forecast::Seasonal { .. } => {
                let season = self.season.as_mut();
                let forecast = season.and_then(|season| {
                    season.observe(busy.now);
                    season.forecast(1)
                });
                Demand { now: busy.now, forecast: forecast.map_or(busy.now, crate::loan::Forecast::value) }
            }
        };
        let Ok(fleet) = fleet.with_lent(engine.meter.lent_servers()) else { return Exchange::default() };
        let decision = controller.decide(&fleet, demand);
        let mut request = Exchange { reclaim: decision.ask_back(), lend: decision.lend() };
        if request.reclaim > 0 && engine.has_protected_jobs {
            request.reclaim = request.reclaim.min(returnable(engine));
        }
        request
    }
}

/// The on-loan servers that host no worker of a protected job.
fn returnable(engine: &Engine<'_>) -> u32 {
    let cluster = &engine.cluster;
    let is_protected = |job| cluster.job(job).is_some_and(|job| job.protected);
    let free = cluster.servers().filter(|&(id, server)| {
        server.pool == Pool::OnLoan && !cluster.tenants(id).iter().any(|tenant| is_protected(tenant.job))
    });
    free.count() as u32
}
