//! Any values in a written cluster and request: well-typed JSON with numbers from all over the range. It is refused with
//! an error, or it keeps the rules, survives being written, and is planned without a panic.

use aryl::cluster::Cluster;
use aryl::epoch::{Epoch, Plan, Request};
use aryl::loan::{Demand, Fleet, LoanPolicy};
use aryl::reclaim::{CostCurve, Costs, Reclaim, ReclaimError};
use aryl::verify;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::bytes::Bytes;

/// A number that is mostly the first of these, plus a little, and now and then anything.
fn number(bytes: &mut Bytes, usual: u64) -> Value {
    match bytes.byte() {
        255 => bytes.wild().into(),
        254 => json!(-(bytes.wild() as i128 % (1 << 62)) as i64),
        253 => real(bytes, 1.0),
        byte @ 224.. => (u64::from(byte) - 224).into(),
        byte => (usual + u64::from(byte / 8 % 4)).into(),
    }
}

/// A number with a fraction, mostly about as large as this. JSON knows neither NaN nor infinity.
fn real(bytes: &mut Bytes, usual: f64) -> Value {
    match bytes.byte() {
        255 => json!(bytes.float()),
        254 => json!(f64::MAX / f64::from(bytes.byte() + 1)),
        253 => json!(9_007_199_254_740.0 - f64::from(bytes.byte())),
        252 => json!(5e-324 * f64::from(bytes.byte())),
        251 => json!(-usual),
        250 => Value::Null,
        byte => json!(usual * f64::from(byte + 1) / 100.0),
    }
}

fn curve(bytes: &mut Bytes) -> Value {
    let point = |bytes: &mut Bytes, workers: &mut u64| {
        *workers += u64::from(bytes.below(4)) + 1;
        json!({ "workers": number(bytes, *workers), "throughput": real(bytes, 10.0) })
    };
    match bytes.below(8) {
        0 => json!({ "power_law": { "exponent": real(bytes, 0.4) } }),
        1 => json!({ "amdahl": { "serial": real(bytes, 0.2) } }),
        2 => json!({ "loss_per_added_worker": { "loss": real(bytes, 0.3) } }),
        3 | 4 => {
            let (mut points, mut workers) = (Vec::new(), 0);
            for _ in 0..bytes.below(6) {
                points.push(point(bytes, &mut workers));
            }
            json!({ "measured": points })
        }
        _ => json!("linear"),
    }
}

/// What a generated thing is thought to be, so that placements mostly fit.
struct Sketch {
    /// By server: GPUs that are free, and 1 : n, the speed of its type.
    servers: Vec<(u64, u64)>,
}

const POOLS: [&str; 4] = ["on_loan", "training", "on_loan", "inference"];

fn server(bytes: &mut Bytes, sketch: &mut Sketch) -> Value {
    if bytes.one_in(16) {
        sketch.servers.push((0, 1));
        return Value::Null;
    }
    let (gpu_type, pool, size) = (bytes.below(2), bytes.byte(), bytes.below(4));
    let gpus = [8_u64, 4, 16, 1_024][size as usize];
    sketch.servers.push((gpus, if gpu_type == 0 { 1 } else { 3 }));
    json!({
        "gpu_type": number_or(bytes, gpu_type.into()),
        "gpus": number_or(bytes, gpus),
        "pool": POOLS[pool as usize % 4],
        "protected": pool / 4 % 8 == 7,
    })
}

/// Just this number, but for one time in many.
fn number_or(bytes: &mut Bytes, usual: u64) -> Value {
    if bytes.one_in(64) { number(bytes, usual) } else { usual.into() }
}

fn job(bytes: &mut Bytes, min: u64, gpus_per_worker: u64) -> Value {
    let flags = bytes.byte();
    let mut job = json!({
        "min_workers": number_or(bytes, min),
        "max_workers": number(bytes, min + u64::from(flags % 4)),
        "gpus_per_worker": number_or(bytes, gpus_per_worker),
        "remaining": real(bytes, 600.0),
        "scaling": curve(bytes),
        "weight": real(bytes, 1.0),
        "preemption_cost": number(bytes, 1),
        "protected": flags % 64 == 63,
        "resize_overhead": real(bytes, 1.0),
        "gpu_types": match flags / 4 % 4 {
            0 | 1 => json!("any"),
            2 => json!("reference"),
            _ => json!({ "only": [number_or(bytes, 0), number_or(bytes, 1)] }),
        },
    });
    if flags & 16 != 0 {
        job["mixing_efficiency"] = real(bytes, 0.7);
    }
    if flags & 32 != 0 {
        job["submitted"] = real(bytes, 100.0);
        job["started"] = real(bytes, 100.0);
        job["checkpointed"] = real(bytes, 200.0);
        job["priority"] = number(bytes, 0);
        job["preemptions"] = number(bytes, 0);
    }
    job
}

/// A gang on one server, with some flexible workers there or on another.
fn gang(bytes: &mut Bytes, sketch: &mut Sketch, min: u64, gpus_per_worker: u64) -> Vec<Value> {
    let mut workers = Vec::new();
    let home = bytes.byte() as usize % sketch.servers.len();
    let base = min * sketch.servers[home].1;
    workers.push(json!({
        "server": number_or(bytes, home as u64),
        "role": "base",
        "workers": number_or(bytes, base),
        "pinned": bytes.one_in(16),
    }));
    sketch.servers[home].0 = sketch.servers[home].0.saturating_sub(base * gpus_per_worker);
    for _ in 0..bytes.below(3) {
        let other = if bytes.one_in(2) { home } else { bytes.byte() as usize % sketch.servers.len() };
        if sketch.servers[other].0 < gpus_per_worker * sketch.servers[other].1 {
            continue;
        }
        let flexible = sketch.servers[other].1;
        sketch.servers[other].0 -= flexible * gpus_per_worker;
        workers.push(json!({
            "server": other,
            "role": "flexible",
            "workers": number_or(bytes, flexible),
        }));
    }
    workers
}

fn cluster(bytes: &mut Bytes) -> Value {
    let mut sketch = Sketch { servers: Vec::new() };
    let speed = json!([number_or(bytes, 1), number_or(bytes, 3)]);
    let gpu_types = json!([{ "name": "V100" }, { "name": "T4", "speed": speed }]);
    let servers: Vec<Value> = (0..bytes.below(6) + 1).map(|_| server(bytes, &mut sketch)).collect();
    let (mut jobs, mut placements) = (Vec::new(), Vec::new());
    for id in 0..bytes.below(8) {
        if bytes.one_in(32) {
            jobs.push(Value::Null);
            continue;
        }
        let (min, gpus_per_worker) = (u64::from(bytes.below(3)) + 1, u64::from(bytes.below(2)) + 1);
        jobs.push(job(bytes, min, gpus_per_worker));
        if bytes.one_in(2) {
            let workers = gang(bytes, &mut sketch, min, gpus_per_worker);
            placements.push(json!({ "job": number_or(bytes, id.into()), "workers": workers }));
        }
    }
    json!({ "gpu_types": gpu_types, "servers": servers, "jobs": jobs, "placements": placements })
}

fn costs(bytes: &mut Bytes) -> Value {
    let table = |bytes: &mut Bytes| -> Value {
        let entry = |bytes: &mut Bytes| match bytes.below(8) {
            7 => json!("protected"),
            _ => json!({ "cost": number(bytes, 1) }),
        };
        json!({ "table": (0..bytes.below(10)).map(|_| entry(bytes)).collect::<Vec<_>>() })
    };
    let mut costs = json!({ "model": match bytes.below(6) {
        0 => json!("stated"),
        1 => json!("jobs"),
        2 => json!("gpu_seconds_lost"),
        3 => json!("priority"),
        4 => json!("preemptions"),
        _ => table(bytes),
    }});
    let mask = bytes.byte();
    for (bit, (name, is_time)) in [
        ("now", true),
        ("min_running_time", true),
        ("restart", false),
        ("max_preemptions", false),
        ("protect_priority", false),
    ]
    .into_iter()
    .enumerate()
    {
        if mask >> bit & 1 == 1 {
            costs[name] = if is_time { real(bytes, 300.0) } else { number(bytes, 2) };
        }
    }
    costs
}

fn request(bytes: &mut Bytes) -> Value {
    let quantity = |bytes: &mut Bytes| match bytes.below(2) {
        0 => json!({ "servers": number(bytes, 0) }),
        _ => json!({ "gpus": number(bytes, 6) }),
    };
    let ids = |bytes: &mut Bytes| -> Vec<Value> { (0..bytes.below(3)).map(|_| number(bytes, 0)).collect() };
    let ask = match bytes.below(6) {
        0 | 1 => number(bytes, 0),
        2 | 3 => {
            json!({ "amount": { "any": quantity(bytes) }, "must_stay": ids(bytes), "costs": costs(bytes) })
        }
        4 => {
            let amounts: Vec<Value> = (0..bytes.below(3))
                .map(|gpu_type| json!([number_or(bytes, gpu_type.into()), quantity(bytes)]))
                .collect();
            json!({ "amount": { "by_type": amounts }, "must_return": ids(bytes), "costs": costs(bytes) })
        }
        _ => json!({ "amount": "listed", "must_return": ids(bytes), "costs": costs(bytes) }),
    };
    json!({ "reclaim": ask, "lend": number_or(bytes, 0) })
}

fn epoch(bytes: &mut Bytes) -> Value {
    let policy = match bytes.below(6) {
        0 => json!("aryl"),
        1 => json!("smallest_count_first"),
        2 => json!({ "random": { "seed": number(bytes, 0) } }),
        3 => json!("amortized"),
        4 => json!("best_of_rules"),
        _ => json!("exact"),
    };
    json!({
        "reclaimer": { "policy": policy, "put_back": true, "solver": { "node_budget": bytes.byte() } },
        "solver": { "table_budget": bytes.byte() * 4_096, "state_budget": bytes.byte() * 64 },
    })
}

/// The value, as it is written and read again: the same.
fn there_and_back<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) {
    let written = serde_json::to_string(value).expect("what was read can be written");
    let read = serde_json::from_str::<T>(&written);
    assert!(read.as_ref().is_ok_and(|read| read == value), "{value:?} became {read:?}: {written}");
}

fn plan(bytes: &mut Bytes, mut cluster: Cluster) {
    let Ok(request) = serde_json::from_value::<Request<'static>>(request(bytes)) else { return };
    there_and_back(&request);
    let epoch: Epoch = serde_json::from_value(epoch(bytes)).unwrap_or_default();
    there_and_back(&epoch);
    let plan = match epoch.plan(&cluster, &request) {
        Ok(plan) => plan,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            if let aryl::epoch::EpochError::Reclaim(error) = error {
                there_and_back::<ReclaimError>(&error);
            }
            return;
        }
    };
    if let Err(violation) = verify::plan(&cluster, &request, &plan) {
        panic!("{violation}\n{plan}\n{cluster:#?}");
    }
    there_and_back::<Plan>(&plan);
    there_and_back::<Reclaim>(plan.reclaim());
    assert_eq!(plan.reclaim().explain(&cluster).servers().count(), plan.reclaim().servers().len());
    let _ = CostCurve::of(&cluster, &Costs::STATED).expect("stated costs can always be had");
    cluster.apply(&plan).expect("a plan for this cluster");
    verify::cluster(&cluster).expect("the rules of the cluster");
    there_and_back(&cluster);
    let again = epoch.plan(&cluster, Request::NONE).expect("nothing is asked");
    assert!(again.is_empty(), "first\n{plan}\nthen\n{again}\n{cluster:#?}");
}

/// A policy, a fleet and a demand, as written.
fn lend(bytes: &mut Bytes) {
    let policy = json!({
        "headroom": real(bytes, 0.1),
        "band": number(bytes, 1),
        "patience": number(bytes, 1),
        "max_lend": number(bytes, 1),
        "max_ask_back": number(bytes, 1),
    });
    let fleet = json!({
        "servers": number(bytes, 9),
        "gpus_per_server": number(bytes, 8),
        "lent": number(bytes, 3),
        "returning": number(bytes, 0),
    });
    let (Ok(policy), Ok(fleet)) =
        (serde_json::from_value::<LoanPolicy>(policy), serde_json::from_value::<Fleet>(fleet))
    else {
        return;
    };
    there_and_back(&policy);
    there_and_back(&fleet);
    let demands: Vec<Demand> = (0..bytes.below(4) + 1).map(|_| Demand::now(bytes.wild())).collect();
    let (last, earlier) = demands.split_last().expect("one at least");
    let decision = policy.decide(&fleet, earlier, *last);
    verify::loan(&policy, &fleet, earlier, *last, &decision).expect("a sound decision");
    there_and_back(&decision);
}

pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    if bytes.one_in(8) {
        lend(&mut bytes);
        return;
    }
    let Ok(cluster) = serde_json::from_value::<Cluster>(cluster(&mut bytes)) else { return };
    verify::cluster(&cluster).expect("the rules of the cluster");
    there_and_back(&cluster);
    plan(&mut bytes, cluster);
}
