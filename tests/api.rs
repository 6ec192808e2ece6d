//! What the compiler proves of the public types: they can be sent, shared and moved, also across a caught panic, and
//! every error is one.

use std::error::Error;
use std::fmt::{Debug, Display};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::path::{Path, PathBuf};

use aryl::{
    allocate, certificate, cluster, epoch, id, k_union, knapsack, loan, place, reclaim, scaling, units,
    verify,
};

const fn is_plain<T: Send + Sync + Unpin + UnwindSafe + RefUnwindSafe + Debug>() {}

const fn is_error<
    T: Error + Display + Clone + PartialEq + Send + Sync + Unpin + UnwindSafe + RefUnwindSafe + 'static,
>() {
}

/// Asserts it of each type, when the test is compiled.
macro_rules! all {
    ($check:ident: $($type:ty),+ $(,)?) => {
        const _: () = { $($check::<$type>();)+ };
    };
}

all!(is_plain:
    allocate::FlexibleItem,
    certificate::Certificate, certificate::Sense, certificate::Status,
    cluster::AllowedGpuTypes, cluster::Cluster, cluster::GpuType, cluster::Job, cluster::Placement, cluster::Pool,
    cluster::Role, cluster::Server, cluster::Tenant,
    epoch::Action, epoch::AllocationCertificate, epoch::Cause, epoch::Epoch, epoch::Plan, epoch::Request<'static>,
    epoch::Totals, epoch::Workspace,
    id::GpuTypeId, id::JobId, id::ServerId,
    k_union::Curve, k_union::Instance, k_union::Member, k_union::Solution, k_union::Solver, k_union::Workspace,
    knapsack::ClassKind, knapsack::CurveClass, knapsack::Gain, knapsack::Hint, knapsack::Instance, knapsack::Item,
    knapsack::Method, knapsack::Solution, knapsack::Solver, knapsack::Work, knapsack::Workspace,
    loan::Demand, loan::Fleet, loan::Forecast, loan::HoldReason, loan::LoanAction, loan::LoanController,
    loan::LoanDecision, loan::LoanPolicy, loan::SeasonalNaive,
    place::BestFitDecreasing, place::Demand, place::Placements, place::Unplaced, place::UnplacedReason,
    place::Workspace,
    reclaim::Amount<'static>, reclaim::Ask<'static>, reclaim::CostCurve, reclaim::CostModel<'static>,
    reclaim::Costs<'static>, reclaim::Departure, reclaim::Explanation<'static>, reclaim::Left, reclaim::Policy,
    reclaim::PreemptionCost, reclaim::Quantity, reclaim::Reclaim, reclaim::Reclaimer,
    reclaim::ReturnedServer<'static>, reclaim::ServerPreemptionCost, reclaim::Shortage, reclaim::Victim<'static>,
    reclaim::Workspace,
    scaling::MeasuredPoint, scaling::MeasuredTable, scaling::ScalingCurve,
    units::Seconds, units::Speed,
);

all!(is_error:
    certificate::CertificateError,
    cluster::AddGpuTypeError, cluster::AddJobError, cluster::AddServerError, cluster::ApplyError, cluster::JobError,
    cluster::PlaceError, cluster::RemoveServerError, cluster::ScaleInError, cluster::SetPoolError,
    cluster::StepError, cluster::StopError, cluster::UpdateJobError,
    epoch::EpochError,
    k_union::InstanceError, k_union::SolveError,
    knapsack::InstanceError, knapsack::SolveError,
    loan::LoanError,
    place::DemandError,
    reclaim::AskError, reclaim::CostError, reclaim::ReclaimError,
    scaling::MeasuredTableError, scaling::ScalingError,
    verify::ClusterViolation, verify::KnapsackViolation, verify::LoanViolation, verify::PlacementViolation,
    verify::PlanViolation, verify::ReclaimViolation, verify::UnionViolation, verify::Violation,
);

#[cfg(feature = "ilp")]
mod ilp {
    use super::*;
    use aryl::ilp;

    all!(is_plain:
        ilp::Assignment, ilp::EpochOptimum, ilp::GoodLp, ilp::Microlp, ilp::Model, ilp::Relation, ilp::Row, ilp::Variable,
    );
    all!(is_error: ilp::BackendError, ilp::IlpError, ilp::WrongAnswer);
}

#[cfg(feature = "sim")]
mod sim {
    //! A `sim::Simulation` alone is not sent or shared: it holds the caller's closures, and is begun where it runs. A
    //! `policy::Draft` borrows memory to write to, which no caught panic may leave half written.

    use super::*;
    use aryl::sim::{self, metrics, policy, workload};

    all!(is_plain:
        sim::Event, sim::Forecast, sim::Setup,
        metrics::JobOutcome, metrics::LoanTotals, metrics::Report, metrics::Sample, metrics::Summary, metrics::Usage,
        policy::Afs, policy::Aryl,  policy::DraftMemory, policy::Drf, policy::Fifo, policy::Gandiva,
        policy::JobRecord, policy::Opportunistic, policy::Optimus, policy::Pollux, policy::ShortestFirst,
        policy::Sizes, policy::Target, policy::Tiresias, policy::View<'static>, policy::Worth,
        workload::Arrivals, workload::DiurnalLoad, workload::InferenceLoad, workload::JobKinds,
        workload::RecordedJob, workload::RunningTimes, workload::Scenario, workload::Surge, workload::TraceJob,
        workload::TraceSpec, workload::Workload,
    );
    const fn is_sent_and_shared<T: Send + Sync + Unpin + Debug>() {}
    all!(is_sent_and_shared: policy::Draft<'static>);
    const fn is_moved<T: Unpin + Debug>() {}
    all!(is_moved: sim::Simulation<'static>);
    all!(is_error:
        sim::SetupError, sim::SimulationError, policy::PolicyError, workload::LoadError, workload::SpecError,
        workload::TraceJobError,
    );
}

/// Each file of the source, with its text.
fn sources() -> Vec<(PathBuf, String)> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                files.push((path, text));
            }
        }
    }
    files
}

/// The types named above are all that the source declares in public, so that a new one can't be forgotten.
#[test]
fn every_public_type_is_asserted() {
    let asserted = include_str!("api.rs");
    let (mut count, mut missing) = (0, Vec::new());
    for (path, text) in sources() {
        let declared = |line: &'_ str| {
            let rest = line.strip_prefix("pub struct ").or_else(|| line.strip_prefix("pub enum "))?;
            Some(rest.split(|letter: char| !letter.is_alphanumeric()).next()?.to_owned())
        };
        // The README is a type for its doc test only.
        for name in text.lines().filter_map(declared).filter(|name| name != "Readme") {
            count += 1;
            if ![',', ';', ')', '>', '<'].iter().any(|end| asserted.contains(&format!("::{name}{end}"))) {
                missing.push(format!("{name} of {}", path.display()));
            }
        }
    }
    assert!(count > 100, "the source is not read right: {count}");
    assert!(missing.is_empty(), "not asserted in tests/api.rs: {missing:#?}");
}

/// Where an enum of errors can't grow, each new message is a breaking change.
#[test]
fn every_error_enum_can_grow() {
    let mut enums = 0;
    for (path, text) in sources() {
        for declaration in text.split("thiserror::Error)]").skip(1) {
            let Some((attributes, name)) = declaration.split_once("\npub enum ") else { continue };
            if attributes.contains("\npub struct ") {
                continue;
            }
            enums += 1;
            let name = name.split(' ').next().unwrap();
            assert!(attributes.contains("#[non_exhaustive]"), "{name} of {}", path.display());
        }
    }
    assert!(enums > 30, "the source is not read right: {enums}");
}
