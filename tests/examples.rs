//! The examples do what they say: run as functions, on good input and bad.
#![cfg(feature = "serde")]
#![allow(clippy::duplicate_mod)] // Two examples bring the files that they share.

#[allow(dead_code)] // Its `main` is not called here.
#[path = "../examples/custom_cost.rs"]
mod custom_cost;
#[allow(dead_code)]
#[path = "../examples/custom_curve.rs"]
mod custom_curve;
#[allow(dead_code)]
#[path = "../examples/picture.rs"]
mod picture;
#[allow(dead_code)]
#[path = "../examples/plan.rs"]
mod plan;
#[allow(dead_code)]
#[path = "../examples/trace_epoch.rs"]
mod trace_epoch;
#[allow(dead_code)]
#[path = "../examples/warm_loop.rs"]
mod warm_loop;
#[allow(dead_code)]
#[path = "../examples/what_if.rs"]
mod what_if;

mod support;

use std::path::PathBuf;

use aryl::cluster::Cluster;
use aryl::epoch::{Action, Epoch, Plan, Request};
use oorandom::Rand32;
use support::{Shape, random_cluster};

const SMALL_CLUSTER: &str = include_str!("../examples/small_cluster.json");

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_string).collect()
}

/// Runs the plan example with this command line and standard input.
fn plan(line: &str, input: &str) -> Result<String, String> {
    plan::run(&words(line), &mut input.as_bytes())
}

/// What the plan example refuses with; every refusal is one line.
fn refusal(line: &str, input: &str) -> String {
    let error = plan(line, input).expect_err(line);
    assert!(!error.is_empty() && !error.contains('\n'), "{error:?}");
    error
}

fn small_cluster() -> serde_json::Value {
    serde_json::from_str(SMALL_CLUSTER).expect("the shipped cluster is JSON")
}

fn assert_says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
}

fn assert_fits_the_page(text: &str) {
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{} characters: {line}", line.chars().count());
        assert_eq!(line.trim_end(), line);
    }
}

/// A file in the folder that cargo keeps for tests.
fn file(name: &str, content: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).expect("cargo's folder can be written");
    path.into_os_string().into_string().expect("a path in UTF-8")
}

#[test]
fn the_shipped_cluster_is_planned_and_explained() {
    let text = plan("", "").unwrap();
    assert_fits_the_page(&text);
    assert_says(
        &text,
        &[
            "Servers before and after",
            "Plan, in the order to carry it out",
            "Jobs that wait",
            "How good the plan is",
            "Totals",
            "AAAACCcc",
            "returns to inference",
            "preempt D vit-finetune",
            "it hosts flexible workers only",
            "in the queue, shortest first",
            "for each",
            "J moe-pretrain: asks for 24 GPUs, in 3 workers of 8 each",
            "proven optimal",
            "planned again, nothing is left to do",
        ],
    );
    assert_eq!(text, plan("", "").unwrap());
}

/// What the shipped cluster is there to show.
#[test]
fn the_shipped_plan_has_a_step_of_every_kind() {
    let plan: Plan = serde_json::from_str(&plan("--json", "").unwrap()).unwrap();
    let has = |kind: fn(&Action) -> bool| plan.actions().iter().any(kind);
    assert!(has(|action| matches!(action, Action::Preempt { .. })));
    assert!(has(|action| matches!(action, Action::ScaleIn { .. })));
    assert!(has(|action| matches!(action, Action::Return { .. })));
    assert!(has(|action| matches!(action, Action::Start { .. })));
    assert!(has(|action| matches!(action, Action::ScaleOut { .. })));
    assert!(has(|action| matches!(action, Action::Keep { .. })));
    assert!(plan.totals().waiting_after > 0);
}

#[test]
fn json_holds_the_plan_and_nothing_else() {
    let answer: Plan = serde_json::from_str(&plan("--json", "").unwrap()).unwrap();
    let mut cluster: Cluster = serde_json::from_value(small_cluster()["cluster"].clone()).unwrap();
    assert_eq!(answer, Epoch::default().plan(&cluster, Request::reclaim(3)).unwrap());
    cluster.apply(&answer).unwrap();
    assert!(Epoch::default().plan(&cluster, Request::NONE).unwrap().is_empty());
}

#[test]
fn options_override_the_request() {
    let returned = |line: &str| {
        let answer: Plan = serde_json::from_str(&plan(line, "").unwrap()).unwrap();
        let lent = answer.actions().iter().filter(|action| matches!(action, Action::Lend { .. })).count();
        (answer.reclaim().servers().len(), lent)
    };
    assert_eq!(returned("--json"), (3, 0));
    assert_eq!(returned("--json --reclaim 1 --lend 1"), (1, 1));
    assert_eq!(returned("--reclaim=0 --json"), (0, 0));
    assert_says(&plan("--reclaim 0 --lend 1", "").unwrap(), &["is lent to training", "lend infer-1"]);
}

#[test]
fn a_request_can_be_more_than_a_number() {
    assert_says(&plan("--gpus 9", "").unwrap(), &["give back servers with 9 GPUs", "proven optimal"]);
    let mut document = small_cluster();
    let stays = 5;
    document["request"] = serde_json::json!({
        "reclaim": {"amount": {"any": {"servers": 1}}, "must_stay": [stays], "costs": {"model": "jobs"}}
    });
    assert_says(&plan("-", &document.to_string()).unwrap(), &["give back 1 server, without server 5"]);
    let answer: Plan = serde_json::from_str(&plan("- --json", &document.to_string()).unwrap()).unwrap();
    assert!(answer.reclaim().servers().iter().all(|server| server.get() != stays));
    document["request"]["reclaim"]["must_return"] = serde_json::json!([stays]);
    let error = plan("-", &document.to_string()).unwrap_err();
    assert_says(&error, &["server 5 must go back and must stay"]);
}

#[test]
fn a_bare_snapshot_is_planned_from_standard_input_and_from_a_file() {
    let bare = small_cluster()["cluster"].to_string();
    let text = plan("-", &bare).unwrap();
    assert_says(&text, &["standard input", "plan, with no server changing hands", "job 9: asks for"]);
    let path = file("bare.json", &bare);
    assert_says(&plan(&path, "").unwrap(), &["bare.json"]);
}

#[test]
fn any_cluster_can_be_printed() {
    let mut random = Rand32::new(11);
    let mut planned = 0;
    for case in 0..1_000 {
        let shape = [Shape::ALL, Shape { servers: 60, jobs: 80, ..Shape::ALL }][usize::from(case % 50 == 0)];
        let cluster = serde_json::to_string(&random_cluster(&mut random, shape)).unwrap();
        let line = format!("- --reclaim {} --lend {}", random.rand_range(0..3), random.rand_range(0..2));
        match plan(&line, &cluster) {
            Ok(text) => {
                assert_fits_the_page(&text);
                planned += 1;
            }
            // Not as many servers may be there to be given back or lent.
            Err(error) => assert_says(&error, &["standard input: can't "]),
        }
    }
    assert!(planned > 500, "only {planned} could be planned");
}

#[test]
fn odd_clusters_can_be_printed() {
    assert_says(&plan("-", r#"{"gpu_types":[],"servers":[],"jobs":[]}"#).unwrap(), &["Nothing to do."]);
    // Gaps where things were removed, a large server, a name that is too long, more GPUs than fit a row.
    let odd = r#"{
        "server_names": ["", "a name that is much too long to be printed whole\n"], "job_names": [],
        "cluster": {
            "gpu_types": [{"name": "H100"}],
            "servers": [null, {"gpu_type": 0, "gpus": 1024, "pool": "training"}],
            "jobs": [null, {"min_workers": 1, "max_workers": 1000, "weight": 2.5}, {"min_workers": 2000, "max_workers": 2000}],
            "placements": [{"job": 1, "workers": [{"server": 1, "role": "base", "workers": 1}]}]
        }
    }"#;
    let text = plan("-", odd).unwrap();
    assert_fits_the_page(&text);
    assert_says(
        &text,
        &["a name that is …", "1*B 999*b 24*.", "B has weight 2.5", "places for 1,023 of 2,000 on H100"],
    );
}

#[test]
fn bad_files_are_refused_in_one_line_that_names_the_offender() {
    let path = file("bad.json", r#"{"servers":"#);
    assert_says(&refusal(&path, ""), &["bad.json", "EOF", "line 1"]);
    assert_says(&refusal("no_such_file.json", ""), &["no_such_file.json: "]);
    assert_says(&refusal("-", ""), &["standard input"]);
    assert_says(&refusal("-", r#"{"gpu_types": [], "jobs": []}"#), &["servers"]);
    let binary = plan::run(&words("-"), &mut &[0xff, 0xfe][..]).unwrap_err();
    assert_says(&binary, &["standard input", "UTF-8"]);

    let refused = |change: &dyn Fn(&mut serde_json::Value), parts: &[&str]| {
        let mut document = small_cluster();
        change(&mut document);
        assert_says(&refusal("-", &document.to_string()), parts);
    };
    refused(&|d| d["cluster"]["servers"][4]["gpus"] = 5.into(), &["job 14", "6 GPUs on server 4", "5 free"]);
    refused(&|d| d["cluster"]["jobs"][2]["min_workers"] = 7.into(), &["job 2", "at least 7", "at most 6"]);
    refused(&|d| d["cluster"]["servers"][0]["gpu_type"] = 9.into(), &["server 0", "GPU type 9"]);
    refused(&|d| d["cluster"]["servers"][0]["pool"] = "a\nb".into(), &["unknown variant"]);
    refused(&|d| d["requests"] = 3.into(), &["unknown field `requests`"]);
}

#[test]
fn a_request_that_cannot_be_met_is_refused() {
    assert_says(&refusal("--reclaim 99", ""), &["can't give 99 servers back", "small cluster"]);
    assert_says(&refusal("--lend 7", ""), &["can't give 3 servers back and take 7 servers on loan"]);
    assert_says(&refusal("--reclaim 0 --lend 7", ""), &["7 servers are to be lent, and 1 can be"]);
}

#[test]
fn a_wrong_command_line_is_refused() {
    assert_says(&refusal("--jsno", ""), &["unknown option '--jsno'"]);
    assert_says(&refusal("--json=3", ""), &["'3'"]);
    assert_says(&refusal("--reclaim", ""), &["--reclaim takes a number"]);
    assert_says(&refusal("--reclaim -1", ""), &["--reclaim", "'-1'"]);
    assert_says(&refusal("--lend 4294967296", ""), &["--lend 4294967296 is too large"]);
    assert_says(&refusal("a.json b.json", ""), &["'b.json'"]);
    assert_says(&plan("--help", "").unwrap(), &["usage: plan"]);
}

const TRACE: &str = "\
job,note,gpus,submit_s,duration_s\r
0,a,8,0,100\r
1,b,4,10,50\r
2,c,16,20,30\r
3,d,1,30,500\r
4,e,0,30,500\r
5,f,64,31,10\r
";

#[test]
fn a_trace_is_planned() {
    let path = file("trace.csv", TRACE);
    let text = trace_epoch::run(&words(&format!("{path} --training 4 --on-loan 3 --reclaim 1"))).unwrap();
    assert_fits_the_page(&text);
    assert_says(&text, &["trace.csv: 5 jobs.", "At second 31, the busiest, 5 of them", "ask for 93 GPUs"]);
    assert_says(
        &text,
        &["jobs that run *", "jobs preempted *", "Time of the decision", "does not say which jobs"],
    );
    let text = trace_epoch::run(&words(&format!("{path} --second 400 --seed 9 --reclaim=0"))).unwrap();
    assert_says(&text, &["At second 400, 1 of them would run and ask for 1 GPU.", "by seed 9"]);
    let text = trace_epoch::run(&words(&format!("{path} --training 0 --on-loan 0 --reclaim 0"))).unwrap();
    assert_says(&text, &["0 (0.0 %)"]);
}

#[test]
fn a_wrong_trace_is_refused_in_one_line() {
    let refused = |content: &str, options: &str, parts: &[&str]| {
        let path = file("wrong.csv", content);
        let error = trace_epoch::run(&words(&format!("{path} {options}"))).unwrap_err();
        assert!(!error.contains('\n'), "{error:?}");
        assert_says(&error, &["wrong.csv"]);
        assert_says(&error, parts);
    };
    refused("", "", &["no column 'submit_s'"]);
    refused(SMALL_CLUSTER, "", &["no column 'submit_s'"]);
    refused("submit_s,duration_s,gpus\n", "", &["no job"]);
    refused("submit_s,duration_s,gpus\n1,2\n", "", &["line 2", "gpus is ''"]);
    refused("submit_s,duration_s,gpus\n1,2,3\n-1,2,3\n", "", &["line 3", "submit_s is '-1'"]);
    refused("submit_s,duration_s,gpus\n1,2,4000000000\n", "", &["line 2", "gpus is 4000000000", "500000"]);
    refused("submit_s,duration_s,gpus\n1,2,3\n", "--second 3", &["no job runs at second 3"]);
    refused("submit_s,duration_s,gpus\n1,2,3\n", "--reclaim 41", &["can't give 41 servers back"]);

    let error = |line: &str| trace_epoch::run(&words(line)).unwrap_err();
    assert_says(&error(""), &["no trace is given"]);
    assert_says(&error("--on-loan 5000000"), &["5,000,000 servers"]);
    assert_says(&error("--what"), &["'--what'"]);
    assert_says(&error("no_such.csv"), &["no_such.csv"]);
    assert_says(&trace_epoch::run(&words("--help")).unwrap(), &["usage: trace_epoch"]);
}

/// The recorded traces are not part of the crate: set `ARYL_TRACES` to the folder that holds them.
#[test]
fn recorded_traces_are_planned() {
    let Some(folder) = std::env::var_os("ARYL_TRACES").map(PathBuf::from) else {
        println!("skipped: ARYL_TRACES is not set");
        return;
    };
    for name in ["jobs_philly_15d_busy.csv", "jobs_helios_venus_2vc_2020sept.csv"] {
        let path = folder.join(name);
        let path = path.to_str().expect("a path in UTF-8");
        for options in ["", "--second 400000 --seed 3", "--training 20 --on-loan 80 --reclaim 30"] {
            let line: Vec<String> = [path.to_string()].into_iter().chain(words(options)).collect();
            let text = trace_epoch::run(&line).unwrap();
            assert_fits_the_page(&text);
            assert_says(&text, &[name, "Time of the decision"]);
        }
    }
}

#[test]
fn the_quickstart_is_the_code_of_the_readme() {
    let readme = include_str!("../README.md");
    let code = |text: &'static str, start: &str| text.split_once(start).expect("it has the start").1;
    let block = code(readme, "```rust\n").split_once("```").expect("a block ends").0;
    assert_eq!(code(include_str!("../examples/quickstart.rs"), "//! ```\n\n"), block);
}

#[test]
fn the_committed_picture_is_what_the_example_draws() {
    assert!(
        picture::drawing().unwrap() == include_str!("../examples/reclaim.svg"),
        "draw examples/reclaim.svg anew"
    );
    assert_says(
        include_str!("../examples/reclaim.svg"),
        &["3 jobs preempted", "1 job preempted, 0 GPUs", "The least is 1,"],
    );
}

/// The short examples, which read nothing.
#[test]
fn each_short_example_shows_what_it_is_for() {
    let curves = custom_curve::report().unwrap();
    assert_fits_the_page(&curves);
    assert_says(
        &curves,
        &["every job taken to be linear", "each job by its own curve", "10.42 h, and 8.84 h with"],
    );

    let costs = custom_cost::report().unwrap();
    assert_fits_the_page(&costs);
    assert_says(&costs, &["ranker              1 job,", "sweep-1 sweep-2     127 cents, proven the least"]);
    assert!(!costs.contains("keynote"), "the demo is protected:\n{costs}");

    let chart = what_if::report().unwrap();
    assert_fits_the_page(&chart);
    assert_says(&chart, &["      3    0-5     2  ##\n", "sweep-2, sweep-3, elastic-lm loses 4"]);
    assert_eq!(chart.lines().filter(|line| line.contains("pretrain")).count(), 2);

    let days = warm_loop::report().unwrap();
    assert_fits_the_page(&days);
    assert_says(&days, &["0 of 72", "planned once more: the plan is empty (true), calls: 0"]);
}
