//! Carrying out a decision, step by step, through the checked changes of the cluster.

use alloc::vec::Vec;

use super::engine::{Engine, Exchange};
use super::job::milliseconds;
use super::progress::{rate_of, seconds};
use super::{Event, SimulationError};
use crate::cluster::{Placement, Pool, StepError};
use crate::epoch::Action;
use crate::id::{JobId, ServerId};
use crate::units::Seconds;

impl Engine<'_> {
    /// Carries out a decision. Whether it changed anything.
    pub(super) fn carry_out(&mut self, actions: &[Action], suspends: bool) -> Result<bool, SimulationError> {
        self.meter.counters.decisions += 1;
        let returned = self.look_at_returns(actions);
        self.check_request(actions)?;
        self.touched.clear();
        let mut at = 0;
        while at < actions.len() {
            let time = self.time();
            let failed = |reason| SimulationError::Step { time, step: at, reason };
            at += self.step(&actions[at..], &returned, suspends).map_err(failed)?;
        }
        let mut touched = core::mem::take(&mut self.touched);
        touched.sort_unstable();
        touched.dedup();
        for &id in &touched {
            self.settle(id);
        }
        self.touched = touched;
        self.request = Exchange::default();
        Ok(actions.iter().any(Action::is_change))
    }

    /// The servers that go back, in ascending order, and what came of them.
    fn look_at_returns(&mut self, actions: &[Action]) -> Vec<ServerId> {
        let mut returned = Vec::new();
        let mut preempted = Vec::new();
        for action in actions {
            match *action {
                Action::Return { server } => returned.push(server),
                Action::Preempt { job } => preempted.push(job),
                _ => {}
            }
        }
        returned.sort_unstable();
        preempted.sort_unstable();
        let counters = &mut self.meter.counters;
        counters.reclaims += u64::from(!returned.is_empty());
        for &server in &returned {
            let tenants = self.cluster.tenants(server);
            if tenants.is_empty() {
                counters.returned_idle += 1;
            } else if !tenants.iter().any(|tenant| preempted.binary_search(&tenant.job).is_ok()) {
                counters.returned_by_scale_in += 1;
            }
        }
        returned
    }

    fn check_request(&self, actions: &[Action]) -> Result<(), SimulationError> {
        let count = |is: fn(&Action) -> bool| actions.iter().filter(|action| is(action)).count() as u32;
        let (returned, lent) = (
            count(|action| matches!(action, Action::Return { .. })),
            count(|action| matches!(action, Action::Lend { .. })),
        );
        let time = self.time();
        if returned != self.request.reclaim {
            return Err(SimulationError::Loan {
                time,
                verb: "returned",
                done: returned,
                asked: self.request.reclaim,
            });
        }
        if lent != self.request.lend {
            return Err(SimulationError::Loan { time, verb: "lent", done: lent, asked: self.request.lend });
        }
        Ok(())
    }

    /// Carries out the first step, and with a `Start` the rest of its gang. Returns how many steps that were.
    fn step(
        &mut self,
        actions: &[Action],
        returned: &[ServerId],
        suspends: bool,
    ) -> Result<usize, StepError> {
        match actions[0] {
            Action::Preempt { job } => self.preempt(job, returned, suspends)?,
            Action::ScaleIn { job, server, workers, .. } => {
                self.cluster.scale_in(job, server, workers)?;
                let gpus = self.gpus_of(job, workers);
                self.meter.release(self.pool_of(server), gpus);
                self.touched.push(job);
            }
            Action::Return { server } => {
                let gpus = self.change_pool(server, Pool::OnLoan, Pool::Inference)?;
                self.meter.give_back(gpus);
                if returned.last() == Some(&server) {
                    self.tell(&Event::Returned { servers: returned.len() as u32 });
                }
            }
            Action::Lend { server } => {
                let gpus = self.change_pool(server, Pool::Inference, Pool::OnLoan)?;
                self.meter.lend(gpus);
                if !matches!(actions.get(1), Some(Action::Lend { .. })) {
                    self.tell(&Event::Lent { servers: self.request.lend });
                }
            }
            Action::Start { job, .. } => {
                let gang: Vec<Placement> = actions
                    .iter()
                    .map_while(|action| match *action {
                        Action::Start { job: other, server, workers } if other == job => {
                            Some(Placement::base(server, workers))
                        }
                        _ => None,
                    })
                    .collect();
                self.cluster.place(job, &gang)?;
                for placement in &gang {
                    let gpus = self.gpus_of(job, placement.workers);
                    self.meter.take(self.pool_of(placement.server), gpus);
                }
                self.touched.push(job);
                return Ok(gang.len());
            }
            Action::ScaleOut { job, server, workers } => {
                self.cluster.scale_out(job, server, workers)?;
                let gpus = self.gpus_of(job, workers);
                self.meter.take(self.pool_of(server), gpus);
                self.touched.push(job);
            }
            Action::Keep { job } => {
                if !self.cluster.is_running(job) {
                    return Err(StepError::NotRunning { job });
                }
            }
        }
        Ok(1)
    }

    fn gpus_of(&self, job: JobId, workers: u32) -> u64 {
        self.cluster.job(job).map_or(0, |job| u64::from(job.gpus_per_worker)) * u64::from(workers)
    }

    fn pool_of(&self, server: ServerId) -> Pool {
        self.cluster.server(server).map_or(Pool::Inference, |server| server.pool)
    }

    fn change_pool(&mut self, server: ServerId, from: Pool, to: Pool) -> Result<u32, StepError> {
        let (pool, gpus) = self.cluster.server(server).map_or((from, 0), |server| (server.pool, server.gpus));
        if pool != from {
            return Err(StepError::WrongPool { server, pool, expected: from });
        }
        self.cluster.set_pool(server, to)?;
        Ok(gpus)
    }

    fn preempt(&mut self, id: JobId, returned: &[ServerId], suspends: bool) -> Result<(), StepError> {
        let goes_back = |placement: &Placement| returned.binary_search(&placement.server).is_ok();
        let placements = self.cluster.placements(id);
        let reclaimed = placements.iter().any(goes_back);
        let elsewhere: u32 = placements.iter().filter(|p| !goes_back(p)).map(|p| p.workers).sum();
        let Some(number) = self.slots.trace_index(id).filter(|_| self.cluster.is_running(id)) else {
            self.cluster.stop(id)?;
            return Ok(());
        };
        if reclaimed {
            self.meter.counters.collateral_gpus += self.gpus_of(id, elsewhere);
        }
        self.release_gpus(id);
        self.cluster.stop(id)?;
        let now = self.now;
        let state = &mut self.jobs[number];
        state.count(now);
        (state.gpus, state.reference_workers) = (0, 0);
        let lost = state.progress.stop(now, suspends && !reclaimed);
        *(if reclaimed { &mut state.preemptions } else { &mut state.suspensions }) += 1;
        // Its planned end is void.
        state.version += 1;
        self.running -= 1;
        // It only needs longer than before, which was checked when the simulation was made.
        let refreshed = self.refresh_job(id, None);
        debug_assert!(refreshed.is_ok());
        self.tell(&Event::Preempted { job: number, reclaimed, lost: Seconds(seconds(lost.into())) });
        Ok(())
    }

    /// Sets the speed of a job whose workers changed, and plans its end.
    fn settle(&mut self, id: JobId) {
        let Some(number) = self.slots.trace_index(id) else { return };
        if !self.cluster.is_running(id) {
            return;
        }
        let max = self.cluster.job(id).map_or(1, |job| job.max_workers);
        let reference_workers = self.cluster.reference_workers(id).min(u64::from(max)) as u32;
        let rate = rate_of(self.speed(id, number, reference_workers));
        let mixed = self.is_mixed(id);
        let held = u32::try_from(self.cluster.workers(id)).unwrap_or(u32::MAX);
        let gpus = u32::try_from(self.gpus_of(id, held)).unwrap_or(u32::MAX);
        let resize_overhead = self.cluster.job(id).map_or(0, |job| milliseconds(job.resize_overhead));
        let (now, preemption_overhead) = (self.now, self.intervals.preemption_overhead);
        let state = &mut self.jobs[number];
        let starts = state.gpus == 0;
        state.count(now);
        if starts {
            let overhead = if state.first_start.is_some() { preemption_overhead } else { 0 };
            state.first_start.get_or_insert(now);
            state.progress.start(now, rate, overhead);
            self.running += 1;
        } else {
            let overhead = if state.gpus == gpus { 0 } else { resize_overhead };
            state.progress.set_rate(now, rate, overhead);
            state.resizes += 1;
        }
        let state = &mut self.jobs[number];
        (state.gpus, state.reference_workers) = (gpus, reference_workers);
        state.largest_size = state.largest_size.max(reference_workers);
        self.plan_end(number);
        self.tell(&if starts {
            Event::Started { job: number, reference_workers, gpus, mixed }
        } else {
            Event::Resized { job: number, reference_workers, gpus, mixed }
        });
    }
}
