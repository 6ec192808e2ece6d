//! Which on-loan servers go back, as an integer program.

mod outcome;
mod program;

use super::backend::{self, Backend};
use super::error::{IlpError, WrongAnswer};
use crate::cluster::{Cluster, Pool};
use crate::id::ServerId;
use crate::reclaim::Reclaim;
use alloc::vec::Vec;
use program::Program;

/// Chooses the on-loan servers that go back, at the least preemption cost, as an integer program.
///
/// The rules are those of [`crate::reclaim`]. For each candidate server s, x(s) says whether it goes back; for each job j
/// with workers on candidates, y(j) says whether it is preempted. Let c(j) be its preemption cost, w(j, s) its workers on
/// s, and l(j) the workers that it can lose: all it holds less its minimum, in workers of its own GPU type.
///
/// ```text
/// minimize    Σ c(j) · y(j)
/// subject to  Σ x(s) = servers
///             x(s) ≤ y(j)                                     where w(j, s) > l(j), or some of them are pinned
///             Σ w(j, s) · x(s) ≤ l(j) + (W(j) − l(j)) · y(j)  over the other servers of j, where their sum W(j) > l(j)
/// ```
///
/// A job that mixes GPU types needs its minimum m(j) in whole reference workers, counted by type. Let W(j, t) be all its
/// workers on type t, of speed a : b. A whole number r(j, t) counts the reference workers that are left of it:
///
/// ```text
///             b · r(j, t) + a · Σ w(j, s) · x(s) ≤ a · W(j, t)    over its servers of type t
///             Σ r(j, t) + m(j) · y(j) ≥ m(j)
/// ```
///
/// **Size.** At most one variable a candidate, one a job, and one a type of each job that mixes. At most one row a pair of
/// a job and a server that hosts it, one or two a job, and one a type of each job that mixes.
///
/// Where a job costs more than the whole answer, and so much that the smaller costs drown in it, the program is solved again
/// without that job's preemption, and so on: no better answer preempts it.
///
/// The answer is the cheapest choice. Where several cost the same, it is any of them: the further objectives of
/// [`crate::reclaim`], time lost to scale-in and collateral damage, are counted but not minimized. A job whose preemption
/// costs nothing may be preempted needlessly, and so may one whose cost is within the gap of the certificate.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
/// use aryl::ilp::{self, Microlp};
/// use aryl::reclaim::{Policy, Reclaimer};
///
/// let mut cluster = Cluster::new();
/// let gpu = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let mut server = || cluster.add_server(Server::on_loan(gpu, 8));
/// let (four, fifth) = ([server()?, server()?, server()?, server()?], server()?);
/// for _ in 0..2 {
///     let wide = cluster.add_job(Job::inelastic(4))?;
///     cluster.place(wide, &four.map(|server| Placement::base(server, 1)))?;
/// }
/// let alone = cluster.add_job(Job::inelastic(8))?;
/// cluster.place(alone, &[Placement::base(fifth, 8)])?;
///
/// // The paper's greedy preempts the two wide jobs; one is enough.
/// assert_eq!(Reclaimer::new(Policy::Aryl).solve(&cluster, 1)?.preempted().len(), 2);
/// let reference = ilp::reclaim(&cluster, 1, &Microlp::default())?;
/// assert_eq!((reference.servers(), reference.preempted()), (&[fifth][..], &[alone][..]));
/// assert!(reference.certificate().is_optimal());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`IlpError::NotEnoughServers`] where fewer servers can go back; [`IlpError::TooLarge`], [`IlpError::Backend`] and
/// [`IlpError::WrongAnswer`] as [`knapsack`](super::knapsack).
///
/// # Complexity
///
/// O(placements · log placements) to build; exponential at worst to solve.
///
/// # Determinism
///
/// As the backend.
pub fn reclaim(
    cluster: &Cluster,
    servers: u32,
    backend: &(impl Backend + ?Sized),
) -> Result<Reclaim, IlpError> {
    let candidates = candidates(cluster);
    let available = candidates.len() as u32;
    if servers > available {
        return Err(IlpError::NotEnoughServers { asked: servers, available });
    }
    if servers == 0 {
        return Ok(Reclaim::default());
    }
    let program = Program::new(cluster, &candidates, |_, job| job.preemption_cost);
    backend::check_size(program.variables())?;
    let mut ceiling = u64::MAX;
    loop {
        let model = program.model(servers, ceiling);
        let answer = backend::solve(&model, backend)?;
        let chosen = candidates.iter().zip(&answer.values).filter(|(_, value)| **value == 1);
        let chosen: Vec<ServerId> = chosen.map(|(&id, _)| id).collect();
        if chosen.len() as u64 != u64::from(servers) {
            return Err(WrongAnswer::Servers { servers: chosen.len() as u64, asked: servers }.into());
        }
        let outcome = outcome::of(cluster, &chosen, answer.bound);
        // A backend can't tell small costs apart beside a huge one. No better answer has a job that costs more than this
        // one does in all, so the next round does without those.
        let cost = outcome.certificate().objective();
        let coarse = model.objective_scale() > 1.0;
        if !(coarse && cost < ceiling && program.largest_cost(ceiling) > cost) {
            return Ok(outcome);
        }
        ceiling = cost;
    }
}

/// The on-loan servers that are not protected and host no worker of a protected job, in ascending order.
fn candidates(cluster: &Cluster) -> Vec<ServerId> {
    let hosts_protected = |id: ServerId| {
        let mut tenants = cluster.tenants(id).iter();
        tenants.any(|tenant| cluster.job(tenant.job).is_some_and(|job| job.protected))
    };
    let can_go = cluster
        .servers()
        .filter(|&(id, server)| server.pool == Pool::OnLoan && !server.protected && !hosts_protected(id));
    can_go.map(|(id, _)| id).collect()
}
