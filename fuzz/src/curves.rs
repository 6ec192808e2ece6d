//! Any scaling curve: one with a parameter out of its range is refused; any other gives positive and finite speeds, is 1
//! at the base, grows, never beats linear and brings less with each worker, as far as its kind promises it. Then jobs with
//! such curves share a server, and what the plan gives them must be worth as much as the best division.

use aryl::allocate::flexible_items;
use aryl::cluster::{Cluster, GpuType, Job, Server};
use aryl::epoch::{Action, Epoch, Request};
use aryl::id::JobId;
use aryl::scaling::{MeasuredPoint, MeasuredTable, Scaling, ScalingCurve};
use aryl::units::{Seconds, Speed};
use aryl::verify;

use super::bytes::Bytes;

/// A curve of somebody else, sampled into a table.
struct Steps(u32);

impl Scaling for Steps {
    fn speedup(&self, base: u32, workers: u32) -> f64 {
        f64::from(workers.div_ceil(self.0)) / f64::from(base.div_ceil(self.0))
    }
}

fn read_workers(bytes: &mut Bytes) -> u32 {
    match bytes.below(4) {
        3 => bytes.wild() as u32,
        _ => bytes.byte(),
    }
}

fn read_points(bytes: &mut Bytes) -> Vec<(u32, f64)> {
    let ascends = bytes.one_in(2);
    let mut points = Vec::new();
    let mut last = 0_u32;
    for _ in 0..bytes.below(9) {
        let workers = if ascends { last.saturating_add(bytes.below(9) + 1) } else { read_workers(bytes) };
        let throughput = if bytes.one_in(4) { bytes.float() } else { f64::from(bytes.byte() + 1) / 3.0 };
        points.push((workers, throughput));
        last = workers;
    }
    points
}

/// Whether the documentation allows these points.
fn is_table(points: &[(u32, f64)]) -> bool {
    let Some(&(first_workers, first)) = points.first() else { return false };
    let are_positive = points.iter().all(|point| point.1 > 0.0 && point.1.is_finite());
    let highest = points.iter().map(|point| point.1).fold(0.0, f64::max);
    let lowest = points.iter().map(|point| point.1).fold(first / f64::from(first_workers.max(1)), f64::min);
    first_workers > 0
        && points.is_sorted_by(|a, b| a.0 < b.0)
        && are_positive
        && lowest > 0.0
        && (highest / lowest).is_finite()
}

/// A curve, or nothing where it is refused as it must be.
fn read_curve(bytes: &mut Bytes) -> Option<ScalingCurve> {
    let kind = bytes.below(8);
    let number = if bytes.one_in(2) { bytes.float() } else { f64::from(bytes.byte()) / 255.0 };
    let from_0_to_1 = (0.0..=1.0).contains(&number);
    let (curve, is_right) = match kind {
        0 => (ScalingCurve::Linear, true),
        1 => (ScalingCurve::PowerLaw { exponent: number }, from_0_to_1 && number > 0.0),
        2 => (ScalingCurve::Amdahl { serial: number }, from_0_to_1),
        3 => (ScalingCurve::LossPerAddedWorker { loss: number }, from_0_to_1),
        4 => {
            let (step, most) = (bytes.below(9) + 1, bytes.below(64));
            let sampled = ScalingCurve::sampled(&Steps(step), most);
            assert_eq!(sampled.is_ok(), most > 0);
            (sampled.ok()?, true)
        }
        _ => {
            let points = read_points(bytes);
            let table = MeasuredTable::new(points.iter().copied());
            assert_eq!(table.is_ok(), is_table(&points), "{points:?}");
            let table = table.ok()?;
            check_table(&table, &points, bytes);
            (ScalingCurve::Measured(table), true)
        }
    };
    assert_eq!(curve.check().is_ok(), is_right, "{curve:?}");
    is_right.then_some(curve)
}

fn check_table(table: &MeasuredTable, points: &[(u32, f64)], bytes: &mut Bytes) {
    let kept = table.points().iter().map(|&MeasuredPoint { workers, throughput }| (workers, throughput));
    assert!(kept.eq(points.iter().copied()));
    for &(workers, throughput) in points {
        assert_eq!(table.throughput(workers), throughput);
    }
    for pair in points.windows(2) {
        let between = pair[0].0 + (pair[1].0 - pair[0].0) / 2;
        let (low, high) = (pair[0].1.min(pair[1].1), pair[0].1.max(pair[1].1));
        let throughput = table.throughput(between);
        assert!(
            throughput >= low * (1.0 - 1e-12) && throughput <= high * (1.0 + 1e-12),
            "{table:?}: {between}"
        );
    }
    let (first, last) = (points[0], points[points.len() - 1]);
    let workers = read_workers(bytes).max(1);
    if workers > last.0 {
        assert_eq!(table.throughput(workers), last.1);
    }
    assert!(table.throughput(workers.min(first.0)) <= first.1);
}

/// What every curve promises, at some numbers of workers.
fn check_curve(curve: &ScalingCurve, bytes: &mut Bytes) {
    for _ in 0..4 {
        let (base, workers) = (read_workers(bytes), read_workers(bytes));
        let speedup = curve.speedup(base, workers);
        assert!(speedup > 0.0 && speedup.is_finite(), "{curve:?}: {base}, {workers}: {speedup}");
        assert!((curve.speedup(base, base) - 1.0).abs() < 1e-12, "{curve:?}: {base}");
        if matches!(curve, ScalingCurve::Measured(_)) {
            continue;
        }
        let (base, workers) = (base.max(1), workers.max(base).clamp(1, u32::MAX - 2));
        let [now, next, after] = [0, 1, 2].map(|more| curve.speedup(base, workers + more));
        // Roundings of the curve are relative to its own size.
        let noise = 1e-12 * after;
        assert!(next >= now - noise && after >= next - noise, "{curve:?} falls: {base}, {workers}");
        assert!(after - next <= next - now + noise, "{curve:?} is not concave: {base}, {workers}");
        let linear = f64::from(workers) / f64::from(base);
        if workers >= base {
            assert!(now <= linear * (1.0 + 1e-12), "{curve:?} beats linear: {base}, {workers}");
        }
    }
}

/// The time that is saved by more workers, as items and as the definition has it.
fn check_gains(job: &Job) {
    let grows = !matches!(job.scaling, ScalingCurve::Measured(_));
    let mut last = 0;
    for (extra, item) in (1..).zip(flexible_items(job, Speed::REFERENCE).take(40)) {
        assert_eq!(item.extra_workers, extra);
        assert_eq!(item.gpus, u64::from(extra) * u64::from(job.gpus_per_worker));
        let value = item.jct_reduction_milliseconds;
        let saved = job.remaining.0 - job.running_time(job.min_workers + extra).0;
        let exact = (saved * job.weight * 1_000.0).max(0.0);
        // The remaining time is rounded to milliseconds first, then the reduction is.
        let off = (value as f64 - exact).abs();
        assert!(off <= 2.0 + exact * 1e-9, "{job:?}: {extra}: {value} for {exact}");
        assert!(!grows || value + 1 >= last, "{job:?}: {extra}: {value} after {last}");
        last = value;
    }
}

fn read_job(bytes: &mut Bytes, curve: ScalingCurve) -> Job {
    let size = bytes.byte();
    let (min, more) = (size % 4 + 1, size / 4 % 16);
    let remaining = if bytes.one_in(4) { bytes.float() } else { f64::from(bytes.byte()) * 7.7 };
    let job = Job::elastic(min..=min + more).scaling(curve).remaining(Seconds(remaining));
    let weight = if bytes.one_in(4) { f64::from(bytes.byte()) / 9.0 } else { 1.0 };
    job.weight(weight).gpus_per_worker(size / 64 + 1)
}

/// The most that choices of one item a job can be worth in this capacity.
fn best_division(offers: &[Vec<(u64, u64)>], capacity: u64) -> u64 {
    let mut best = vec![0_u64; capacity as usize + 1];
    for items in offers {
        for room in (0..best.len()).rev() {
            let with = |&(gpus, value): &(u64, u64)| {
                (room as u64).checked_sub(gpus).map(|at| best[at as usize] + value)
            };
            best[room] = items.iter().filter_map(with).fold(best[room], u64::max);
        }
    }
    best[capacity as usize]
}

pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let mut cluster = Cluster::new();
    let gpu_type = cluster.add_gpu_type(GpuType::new("GPU")).expect("a good type");
    let server = cluster.add_server(Server::training(gpu_type, bytes.below(48) + 1)).expect("a good server");
    for _ in 0..bytes.below(6) {
        let Some(curve) = read_curve(&mut bytes) else { continue };
        check_curve(&curve, &mut bytes);
        let written = serde_json::to_string(&curve).expect("a curve can be written");
        assert_eq!(serde_json::from_str::<ScalingCurve>(&written).expect("and read again"), curve);
        let job = read_job(&mut bytes, curve);
        // Times out of their range are refused.
        if cluster.add_job(job.clone()).is_ok() {
            check_gains(&job);
        }
    }
    let plan = Epoch::default().plan(&cluster, Request::NONE).expect("nothing is asked");
    verify::plan(&cluster, Request::NONE, &plan).expect("a sound plan");
    let before = cluster.clone();
    cluster.apply(&plan).expect("a plan for this cluster");
    let again = Epoch::default().plan(&cluster, Request::NONE).expect("nothing is asked");
    assert!(again.is_empty(), "first\n{plan}\nthen\n{again}");

    // All on one server, so that nothing is lost to fragments: what runs shares the GPUs that the bases leave.
    let total: f64 = before.jobs().map(|(_, job)| job.remaining.0 * job.weight * 1_000.0).sum();
    if total > 1e15 {
        return; // Times are counted in a coarser unit.
    }
    let is_optimal = plan.allocations().iter().all(|allocation| allocation.certificate.is_optimal());
    let running: Vec<JobId> = before.jobs().map(|(id, _)| id).filter(|&id| cluster.is_running(id)).collect();
    let mut capacity: u64 = before.free_gpus(server).into();
    let (mut offers, mut worth) = (Vec::new(), 0);
    for id in running {
        let job = before.job(id).expect("a job");
        capacity -= u64::from(job.min_workers) * u64::from(job.gpus_per_worker);
        let items: Vec<(u64, u64)> = flexible_items(job, Speed::REFERENCE)
            .map(|item| (item.gpus, item.jct_reduction_milliseconds))
            .collect();
        let added = |action: &Action| match *action {
            Action::ScaleOut { job, workers, .. } if job == id => workers as usize,
            _ => 0,
        };
        let more: usize = plan.actions().iter().map(added).sum();
        worth += more.checked_sub(1).map_or(0, |at| items[at].1);
        offers.push(items);
    }
    let best = best_division(&offers, capacity);
    assert!(worth <= best, "{plan}");
    assert!(!is_optimal || worth == best, "{worth} of {best}: {plan}\n{before:#?}");
}
