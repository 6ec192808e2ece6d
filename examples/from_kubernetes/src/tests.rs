//! The dump that comes along is planned, and what is wrong with another is said in one line.

use serde_json::{Value, json};

use super::{OWN_DUMP, plan, run};

fn own_dump() -> Value {
    serde_json::from_str(OWN_DUMP).expect("the dump is JSON")
}

/// The item of this name in the list.
fn item<'a>(dump: &'a mut Value, name: &str) -> &'a mut Value {
    let items = dump["items"].as_array_mut().expect("a list");
    items.iter_mut().find(|item| item["metadata"]["name"] == name).expect(name)
}

/// What the dump is refused with, once changed.
fn refusal(change: impl FnOnce(&mut Value)) -> String {
    let mut dump = own_dump();
    change(&mut dump);
    let error = plan(&dump.to_string(), 2, false).expect_err("it is refused");
    assert!(!error.contains('\n'), "{error}");
    error
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_string).collect()
}

#[test]
fn the_dump_is_planned_in_names() {
    let text = run(&[]).unwrap();
    for part in [
        "node inf-t4-1 goes back\n  delete pod research/bert-worker-1",
        "research/bert runs on with 2 of 5 pods, and needs 2",
        "node inf-t4-2 goes back",
        "on nodes that stay\n  delete pod ads/ranker-worker-1",
        "ads/ranker is preempted, here on inf-t4-3",
        "preemption cost: 3, proven optimal",
    ] {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
    // Neither a finished pod nor a pending one, nor one without GPUs, is in the way.
    for part in ["old-sweep", "speech", "dcgm", "search-embeddings"] {
        assert!(!text.contains(part), "{part:?} in:\n{text}");
    }
}

#[test]
fn the_number_and_the_cost_can_be_chosen() {
    let one = run(&words("-k 1")).unwrap();
    assert!(one.contains("preemption cost: 0, proven optimal") && !one.contains("preempted"), "{one}");
    assert_eq!(run(&words("-k 0")).unwrap(), "preemption cost: 0, proven optimal\n");
    let by_priority = run(&words("--by-priority")).unwrap();
    assert!(by_priority.contains("research/bert is preempted"), "{by_priority}");
    assert!(by_priority.contains("preemption cost: 101,"), "{by_priority}");
}

/// The order of a list is whatever kubectl makes it.
#[test]
fn the_order_of_the_pods_decides_nothing() {
    let mut dump = own_dump();
    let items = dump["items"].as_array_mut().unwrap();
    let nodes = items.iter().filter(|item| item["kind"] == "Node").count();
    let sorted = |text: String| {
        let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
        lines.sort();
        lines
    };
    items[nodes..].reverse();
    assert_eq!(sorted(plan(&dump.to_string(), 2, false).unwrap()), sorted(run(&[]).unwrap()));
}

#[test]
fn a_master_and_a_pod_that_must_not_be_evicted_are_respected() {
    // The master's node alone is asked for: all of the job goes, though it has pods to spare.
    let mut dump = own_dump();
    for node in ["inf-t4-1", "inf-t4-2", "inf-t4-3"] {
        let keep = json!({"cluster-autoscaler.kubernetes.io/scale-down-disabled": "true"});
        item(&mut dump, node)["metadata"]["annotations"] = keep;
    }
    let text = plan(&dump.to_string(), 1, false).unwrap();
    assert!(
        text.contains("node inf-t4-0 goes back") && text.contains("research/bert is preempted"),
        "{text}"
    );

    let error = plan(&dump.to_string(), 2, false).unwrap_err();
    assert!(
        error.starts_with("2 nodes are to go back, and 1 of 4 on loan can; protected nodes: 3"),
        "{error}"
    );
    let evict = json!({"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"});
    item(&mut dump, "bert-master-0")["metadata"]["annotations"] = evict;
    let error = plan(&dump.to_string(), 1, false).unwrap_err();
    assert!(error.contains("protected jobs: 1 (research/bert)"), "{error}");
}

#[test]
fn what_is_wrong_is_named() {
    let label = |name: &'static str, label: &'static str| {
        refusal(|dump| {
            item(dump, name)["metadata"]["labels"].as_object_mut().unwrap().remove(label).expect(label);
        })
    };
    assert_eq!(
        label("inf-t4-0", "scheduling.example.com/pool"),
        "node inf-t4-0 has no label scheduling.example.com/pool"
    );
    assert_eq!(
        label("inf-t4-0", "nvidia.com/gpu.product"),
        "node inf-t4-0 has no label nvidia.com/gpu.product"
    );
    assert_eq!(
        label("sweep-17-worker-0", "training.kubeflow.org/job-name"),
        "pod research/sweep-17-worker-0 on node inf-t4-3 has no label training.kubeflow.org/job-name"
    );
    let on = |node: &'static str| {
        refusal(|dump| item(dump, "sweep-17-worker-0")["spec"]["nodeName"] = node.into())
    };
    assert_eq!(on("gone-7"), "pod research/sweep-17-worker-0 runs on node gone-7, which is not in the list");
    assert!(on("cpu-0").ends_with("asks for 1 GPUs and runs on node cpu-0, which has none"));
    assert!(on("inf-t4-4").ends_with("runs on node inf-t4-4, which serves inference"));
    assert_eq!(on("train-a100-0"), "node train-a100-0 has 8 GPUs, and its pods ask for 9 or more");

    let gpus = |number: &'static str| {
        refusal(|dump| {
            item(dump, "ranker-worker-1")["spec"]["containers"][0]["resources"] =
                json!({"limits": {"nvidia.com/gpu": number}});
        })
    };
    assert_eq!(
        gpus("1"),
        "job ads/ranker: pod ads/ranker-worker-0 asks for 2 GPUs, and pod ads/ranker-worker-1 for 1"
    );
    assert_eq!(gpus("500m"), "pod ads/ranker-worker-1: nvidia.com/gpu is '500m', not a whole number");

    let note = |key: &'static str, text: &'static str| {
        refusal(|dump| {
            let key = format!("scheduling.example.com/{key}");
            item(dump, "bert-worker-2")["metadata"]["annotations"][key] = text.into();
        })
    };
    assert_eq!(
        note("min-workers", "two"),
        "pod research/bert-worker-2: scheduling.example.com/min-workers is 'two', not a whole number"
    );
    assert_eq!(
        note("min-workers", "3"),
        "job research/bert: pod research/bert-master-0 says 2, and pod research/bert-worker-2 says 3"
    );
    assert_eq!(
        refusal(|dump| item(dump, "ranker-worker-0")["spec"]["nodeName"] = Value::Null),
        "job ads/ranker runs with 1 pods, and needs 2"
    );
    assert!(refusal(|dump| item(dump, "cpu-0")["kind"] = Value::Null).ends_with("of the list has no kind"));
    assert_eq!(refusal(|dump| dump["items"] = Value::Null), "this is no List: it has no items");
    assert!(refusal(|dump| dump["items"] = json!([])).starts_with("there is no Node in the list"));
    let shape = refusal(|dump| item(dump, "cpu-0")["status"] = json!(3));
    assert!(shape.starts_with("item 0 of the list: invalid type"), "{shape}");
}

#[test]
fn a_wrong_command_line_or_file_is_refused() {
    let error = |line: &str| run(&words(line)).unwrap_err();
    assert!(error("no_such.json").starts_with("no_such.json: "));
    assert_eq!(error("-k"), "-k takes a number");
    assert_eq!(error("-k -1"), "-k takes a whole number, not '-1'");
    assert_eq!(error("--what"), "unknown option --what");
    assert_eq!(error("a b"), "one dump at a time, but 'b' is given too");
    assert!(
        error("-k 5")
            .starts_with("the dump that comes along: 5 nodes are to go back, and 4 of 4 on loan can")
    );
    assert!(plan("{", 1, false).unwrap_err().contains("EOF"));
    assert!(run(&words("--help")).unwrap().contains("usage: from_kubernetes"));
}
