//! What `kubectl get nodes,pods -A -o json` prints, and what is needed of it.

use std::collections::BTreeMap;

use aryl::cluster::Pool;
use k8s_openapi::api::core::v1::{Container, Node, Pod};
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::Value;

// Labels and annotations that others have given their meaning.
const GPU: &str = "nvidia.com/gpu";
const PRODUCT: &str = "nvidia.com/gpu.product"; // set by NVIDIA's GPU feature discovery
const JOB: &str = "training.kubeflow.org/job-name"; // set by Kubeflow's training operator, as is the next
const REPLICA: &str = "training.kubeflow.org/replica-type";
const KEEP_NODE: &str = "cluster-autoscaler.kubernetes.io/scale-down-disabled";
const KEEP_POD: &str = "cluster-autoscaler.kubernetes.io/safe-to-evict";
// Our own: change the domain to yours.
const POOL: &str = "scheduling.example.com/pool";
const MIN: &str = "scheduling.example.com/min-workers";
const MAX: &str = "scheduling.example.com/max-workers";
const COST: &str = "scheduling.example.com/preemption-cost";

/// A node with GPUs.
pub(crate) struct GpuNode {
    pub(crate) name: String,
    pub(crate) product: String,
    pub(crate) gpus: u32,
    pub(crate) pool: Pool,
    pub(crate) protected: bool,
}

/// A pod with GPUs: a worker of a training job, running or pending.
pub(crate) struct Worker {
    /// Namespace and name, as of the job.
    pub(crate) name: String,
    /// `None` where the pod has no job label: it serves.
    pub(crate) job: Option<String>,
    /// `None` while it is pending.
    pub(crate) node: Option<String>,
    pub(crate) gpus: u32,
    /// Whether the job stops without it: the master of a job.
    pub(crate) pinned: bool,
    pub(crate) protected: bool,
    /// From 0; a negative priority of Kubernetes is 0.
    pub(crate) priority: u32,
    pub(crate) min: Option<u32>,
    pub(crate) max: Option<u32>,
    pub(crate) cost: Option<u64>,
}

/// The nodes and pods with GPUs that are in use, in the order of the dump; and the names of all nodes.
pub(crate) struct Dump {
    pub(crate) nodes: Vec<GpuNode>,
    pub(crate) workers: Vec<Worker>,
    pub(crate) node_names: Vec<String>,
}

impl Dump {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let list: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let items = list["items"].as_array().ok_or("this is no List: it has no items")?;
        let mut dump = Self { nodes: Vec::new(), workers: Vec::new(), node_names: Vec::new() };
        for (at, item) in items.iter().enumerate() {
            let wrong = |error: serde_json::Error| format!("item {at} of the list: {error}");
            match item["kind"].as_str() {
                Some("Node") => {
                    let node: Node = serde_json::from_value(item.clone()).map_err(wrong)?;
                    dump.node_names.push(name(&node.metadata)?);
                    dump.nodes.extend(gpu_node(&node)?);
                }
                Some("Pod") => {
                    let pod: Pod = serde_json::from_value(item.clone()).map_err(wrong)?;
                    dump.workers.extend(worker(&pod)?);
                }
                Some(_) => {}
                None => return Err(format!("item {at} of the list has no kind")),
            }
        }
        if dump.node_names.is_empty() {
            return Err("there is no Node in the list: ask kubectl for nodes,pods".to_string());
        }
        Ok(dump)
    }
}

/// A node, or `None` where it has no GPU.
fn gpu_node(node: &Node) -> Result<Option<GpuNode>, String> {
    let name = name(&node.metadata)?;
    let who = format!("node {name}");
    let gpus = gpus(node.status.as_ref().and_then(|status| status.allocatable.as_ref()), &who)?;
    if gpus == 0 {
        return Ok(None);
    }
    let label = |key: &str| value(&node.metadata.labels, key).ok_or(format!("{who} has no label {key}"));
    let pool = match label(POOL)? {
        "training" => Pool::Training,
        "inference" => Pool::Inference,
        "on-loan" => Pool::OnLoan,
        other => return Err(format!("{who}: {POOL} is '{other}', not training, inference or on-loan")),
    };
    let protected = value(&node.metadata.annotations, KEEP_NODE) == Some("true");
    Ok(Some(GpuNode { product: label(PRODUCT)?.to_string(), name, gpus, pool, protected }))
}

/// A pod that holds or wants GPUs, or `None`.
fn worker(pod: &Pod) -> Result<Option<Worker>, String> {
    let name = name(&pod.metadata)?;
    let who = format!("pod {name}");
    let phase = pod.status.as_ref().and_then(|status| status.phase.as_deref());
    let Some(spec) = pod.spec.as_ref().filter(|_| !matches!(phase, Some("Succeeded" | "Failed"))) else {
        return Ok(None);
    };
    let asked = |container: &Container| {
        // For such a resource requests equal limits, and either may be left out.
        let resources = container.resources.as_ref();
        let limits = gpus(resources.and_then(|resources| resources.limits.as_ref()), &who)?;
        let requests = gpus(resources.and_then(|resources| resources.requests.as_ref()), &who)?;
        Ok(limits.max(requests))
    };
    let gpus = spec.containers.iter().map(asked).sum::<Result<u32, String>>()?;
    if gpus == 0 {
        return Ok(None);
    }
    let labels = |key: &str| value(&pod.metadata.labels, key);
    let notes = |key: &str| value(&pod.metadata.annotations, key);
    let number = |key: &str| match notes(key) {
        None => Ok(None),
        Some(text) => match text.parse::<u32>() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(format!("{who}: {key} is '{text}', not a whole number")),
        },
    };
    let namespace = pod.metadata.namespace.as_deref().unwrap_or("default");
    Ok(Some(Worker {
        job: labels(JOB).map(|job| format!("{namespace}/{job}")),
        node: spec.node_name.clone(),
        gpus,
        pinned: matches!(labels(REPLICA), Some("master" | "chief" | "launcher")),
        protected: notes(KEEP_POD) == Some("false"),
        priority: spec.priority.unwrap_or(0).max(0).unsigned_abs(),
        min: number(MIN)?,
        max: number(MAX)?,
        cost: number(COST)?.map(u64::from),
        name,
    }))
}

/// The name of a thing; with its namespace, where it is in one.
fn name(metadata: &ObjectMeta) -> Result<String, String> {
    let name = metadata.name.as_deref().ok_or("a thing in the list has no name")?;
    Ok(metadata.namespace.as_ref().map_or(name.to_string(), |namespace| format!("{namespace}/{name}")))
}

fn value<'a>(map: &'a Option<BTreeMap<String, String>>, key: &str) -> Option<&'a str> {
    map.as_ref()?.get(key).map(String::as_str)
}

/// The GPUs among some resources: a whole number, as the device plugin demands.
fn gpus(resources: Option<&BTreeMap<String, Quantity>>, who: &str) -> Result<u32, String> {
    let Some(Quantity(text)) = resources.and_then(|resources| resources.get(GPU)) else { return Ok(0) };
    text.parse().map_err(|_| format!("{who}: {GPU} is '{text}', not a whole number"))
}

pub(crate) const JOB_LABEL: &str = JOB;
