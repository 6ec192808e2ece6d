//! A simulation gives the same report again, of a clone, written down and read back, and whatever the policy did before.

use aryl::cluster::GpuType;
use aryl::sim::metrics::Report;
use aryl::sim::workload::Workload;
use aryl::sim::{Setup, Simulation, policy::Policy};

use crate::SEEDS;
use crate::canonical::Row;
use crate::simulation_instances::{instance, policies};

fn policy(seed: u64) -> Box<dyn Policy> {
    let mut all = policies();
    let at = seed as usize % all.len();
    all.swap_remove(at)
}

fn run(setup: &Setup, workload: &Workload, policy: &mut dyn Policy) -> Report {
    Simulation::new(setup, workload).unwrap().run(policy).unwrap()
}

/// All that is in a report, but for the time that decisions took.
fn row(report: &Report) -> Row {
    let mut row: Row = report.policy.bytes().map(u64::from).collect();
    for job in &report.jobs {
        row.extend(
            [job.submitted, job.started, job.ended, job.queuing, job.lost].map(|time| time.0.to_bits()),
        );
        row.extend([job.gpus, job.preemptions, job.suspensions, job.resizes].map(u64::from));
        row.extend([job.gpu_seconds, job.finish_time_fairness].map(f64::to_bits));
    }
    let usage = report.usage;
    let shares = [usage.training, usage.inference, usage.on_loan, usage.overall];
    row.extend(shares.map(f64::to_bits));
    row.extend([usage.on_loan_gpus, usage.inference_short].map(f64::to_bits));
    let loans = report.loans;
    row.extend([loans.lent, loans.returned, loans.returned_idle, loans.returned_by_scale_in]);
    row.extend([loans.reclaims, loans.returned_gpus, loans.collateral_gpus]);
    for sample in &report.series {
        row.extend([sample.time.0.to_bits(), sample.training_busy, sample.on_loan_gpus, sample.on_loan_busy]);
        row.push(sample.inference_busy);
        row.extend([sample.on_loan_servers, sample.waiting, sample.running, sample.ended].map(u64::from));
    }
    row.extend([report.makespan.0.to_bits(), report.decisions]);
    row
}

pub(crate) fn simulation_row(seed: u64) -> Row {
    let (setup, workload) = instance(seed);
    row(&run(&setup, &workload, &mut *policy(seed)))
}

#[test]
fn a_report_is_the_same_again_and_of_what_was_written_down() {
    for seed in SEEDS {
        let (setup, workload) = instance(seed);
        let first = run(&setup, &workload, &mut *policy(seed));
        assert_eq!(simulation_row(seed), row(&first), "seed {seed}: again");
        assert_eq!(
            run(&setup.clone(), &workload.clone(), &mut *policy(seed)),
            first,
            "seed {seed}: of a clone"
        );
        #[cfg(feature = "serde")]
        {
            let setup: Setup = serde_json::from_str(&serde_json::to_string(&setup).unwrap()).unwrap();
            let workload: Workload =
                serde_json::from_str(&serde_json::to_string(&workload).unwrap()).unwrap();
            assert_eq!(run(&setup, &workload, &mut *policy(seed)), first, "seed {seed}: JSON");
        }
    }
}

/// Servers of one kind are the same servers, whether they are stated in one go or in two.
#[test]
fn a_report_does_not_depend_on_how_servers_are_grouped() {
    for seed in SEEDS {
        let (_, workload) = instance(seed);
        let v100 = || GpuType::new("V100");
        let once = Setup::new(v100(), 5, 8).inference(GpuType::new("T4").speed(1, 3), 4, 8);
        let twice = Setup::new(v100(), 2, 8).training(v100(), 3, 8);
        let twice = twice.inference(GpuType::new("T4").speed(1, 3), 4, 8);
        let mut workload = workload;
        // The A100 of some instances is not there.
        for trace in &mut workload.jobs {
            if !matches!(trace.job.gpu_types, aryl::cluster::AllowedGpuTypes::Any) {
                trace.job = trace.job.clone().fungible();
            }
        }
        let reports = [once, twice].map(|setup| run(&setup, &workload, &mut *policy(seed)));
        assert_eq!(reports[0], reports[1], "seed {seed}");
    }
}
