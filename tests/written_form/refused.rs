//! What is not read: fields with unknown names, variants that there are not, and numbers out of range.

use aryl::certificate::Certificate;
use aryl::cluster::{Cluster, GpuType, Job, Placement, Pool, Server};
use aryl::epoch::{Action, Epoch, Plan, Request};
use aryl::id::JobId;
use aryl::k_union;
use aryl::knapsack::{self, CurveClass, Instance, Item, Solution};
use aryl::loan::{Demand, Fleet, LoanController, LoanDecision, LoanPolicy, SeasonalNaive};
use aryl::place::Demand as PlaceDemand;
use aryl::reclaim::{Ask, Costs, Policy, Reclaimer};
use aryl::scaling::{MeasuredTable, ScalingCurve};

use crate::Record;

pub(crate) fn keep(record: &mut Record) {
    refuse_clusters(record);
    refuse_nouns(record);
    refuse_asks(record);
    refuse_loans(record);
    refuse_knapsacks(record);
    record.refuse::<Certificate>(r#"{"sense":"minimize","objective":9,"bound":10}"#);
    record.refuse::<Certificate>(r#"{"sense":"smallest","objective":9,"bound":9}"#);
    record.refuse::<Action>(r#"{"stop":{"job":1}}"#);
    record.refuse::<Action>(r#"{"preempt":{"job":-1}}"#);
    record.refuse::<Plan>(r#"{"actions":[]}"#);
    record.refuse::<Epoch>(r#"{"policy":"exact"}"#);
}

fn refuse_clusters(record: &mut Record) {
    for text in [
        r#"{}"#,
        r#"{"gpu_types":[{"name":"V100"}],"servers":[],"jobs":[],"queue":[]}"#,
        r#"{"gpu_types":[{"name":"V100","speed":[1,2]}],"servers":[],"jobs":[]}"#,
        r#"{"gpu_types":[],"servers":[{"gpu_type":0,"gpus":8,"pool":"training"}],"jobs":[]}"#,
        r#"{"gpu_types":[],"servers":[],"jobs":[{"min_workers":0,"max_workers":1}]}"#,
        r#"{"gpu_types":[],"servers":[],"jobs":[],"placements":[{"job":0,"workers":[]}]}"#,
    ] {
        record.refuse::<Cluster>(text);
    }
    let with = |workers: &str| {
        format!(
            r#"{{"gpu_types":[{{"name":"V100"}}],"servers":[{{"gpu_type":0,"gpus":8,"pool":"training"}},null],"jobs":[{{"min_workers":2,"max_workers":9}}],"placements":[{{"job":0,"workers":[{workers}]}}]}}"#
        )
    };
    for workers in [
        "",
        r#"{"server":0,"role":"base","workers":1}"#,
        r#"{"server":0,"role":"base","workers":9}"#,
        r#"{"server":1,"role":"base","workers":2}"#,
        r#"{"server":0,"role":"leader","workers":2}"#,
        r#"{"server":0,"role":"base","workers":2,"gpus":2}"#,
        r#"{"server":0,"role":"base","workers":2},{"server":0,"role":"flexible","workers":7}"#,
    ] {
        record.refuse::<Cluster>(&with(workers));
    }
    let twice = with(r#"{"server":0,"role":"base","workers":2}"#).replace(
        r#""placements":["#,
        r#""placements":[{"job":0,"workers":[{"server":0,"role":"base","workers":2}]},"#,
    );
    record.refuse::<Cluster>(&twice);
}

fn refuse_nouns(record: &mut Record) {
    record.refuse::<JobId>("4294967296");
    record.refuse::<JobId>("-1");
    record.refuse::<Pool>(r#""lent""#);
    record.refuse::<GpuType>(r#"{"name":"T4","speed":[1,3,5]}"#);
    record.refuse::<Server>(r#"{"gpu_type":0,"gpus":8}"#);
    record.refuse::<Server>(r#"{"gpu_type":0,"gpus":8,"pool":"on_loan","protect":true}"#);
    record.refuse::<Job>(r#"{"min_workers":1}"#);
    record.refuse::<Job>(r#"{"min_workers":1,"max_workers":2,"submited":3}"#);
    record.refuse::<Job>(r#"{"min_workers":1,"max_workers":2,"remaining":null}"#);
    record.refuse::<Placement>(r#"{"server":0,"role":"base"}"#);
    record.refuse::<PlaceDemand>(r#"{"job":0,"extra":1}"#);
    record.refuse::<ScalingCurve>(r#""quadratic""#);
    record.refuse::<ScalingCurve>(r#"{"amdahl":{"serial":0.1,"parallel":0.9}}"#);
    record.refuse::<MeasuredTable>("[]");
    record.refuse::<MeasuredTable>(r#"[{"workers":2,"throughput":1},{"workers":1,"throughput":2}]"#);
    record.refuse::<MeasuredTable>(r#"[{"workers":2,"throughput":0}]"#);
}

fn refuse_asks(record: &mut Record) {
    record.refuse::<Ask<'static>>("-1");
    record.refuse::<Ask<'static>>("4294967296");
    record.refuse::<Ask<'static>>(r#""all""#);
    record.refuse::<Ask<'static>>(r#"{"must_return":[1]}"#);
    record.refuse::<Ask<'static>>(r#"{"amount":{"any":{"racks":1}}}"#);
    record.refuse::<Ask<'static>>(r#"{"amount":"listed","must_go":[1]}"#);
    record.refuse::<Costs<'static>>(r#"{"model":"gpu_hours"}"#);
    record.refuse::<Costs<'static>>(r#"{"restarts":1}"#);
    record.refuse::<Request<'static>>(r#"{"reclaims":1}"#);
    record.refuse::<Policy>(r#""fifo""#);
    record.refuse::<Reclaimer>(r#"{"policy":"exact","put_backs":true}"#);
    record.refuse::<k_union::Solver>(r#"{"budget":1}"#);
}

fn refuse_loans(record: &mut Record) {
    record.refuse::<Fleet>(r#"{"servers":0,"gpus_per_server":8}"#);
    record.refuse::<Fleet>(r#"{"servers":4,"gpus_per_server":8,"lent":5}"#);
    record.refuse::<Fleet>(r#"{"servers":4,"gpus_per_server":8,"home":2}"#);
    record.refuse::<Demand>(r#"{"now":1}"#);
    record.refuse::<LoanPolicy>(r#"{"headroom":1.5}"#);
    record.refuse::<LoanPolicy>(r#"{"patience":0}"#);
    record.refuse::<LoanPolicy>(r#"{"max_lend":0}"#);
    record.refuse::<LoanController>(
        r#"{"policy":{"patience":2},"earlier":[{"now":1,"forecast":1},{"now":1,"forecast":1}]}"#,
    );
    record.refuse::<SeasonalNaive>(r#"{"period":0,"values":[]}"#);
    record.refuse::<SeasonalNaive>(r#"{"period":1,"values":[1,2]}"#);
    let decision = |action: &str, needed: u32| {
        format!(
            r#"{{"action":{action},"fleet":{{"servers":10,"gpus_per_server":8,"lent":2}},"needed":{needed},"recent_peak":5,"headroom":1,"band":2}}"#
        )
    };
    record.refuse::<LoanDecision>(&decision(r#"{"lend":9}"#, 5));
    record.refuse::<LoanDecision>(&decision(r#"{"ask_back":1}"#, 5));
    record.refuse::<LoanDecision>(&decision(r#"{"hold":"none_lent"}"#, 5));
    record.refuse::<LoanDecision>(&decision(r#"{"hold":"in_band"}"#, 6));
}

fn refuse_knapsacks(record: &mut Record) {
    record.refuse::<Item>(r#"{"weight":4294967296,"value":1}"#);
    record.refuse::<CurveClass>(r#"{"gain":{"hyperbola":{"half":2}},"total":1,"weight":1}"#);
    for class in [
        r#"{"kind":"at_most_one","items":[{"weight":1,"value":9007199254740992}]}"#,
        r#"{"kind":"exactly_one"}"#,
        r#"{"kind":"some"}"#,
        r#"{"kind":"at_most_one","weights":[1]}"#,
        r#"{"kind":"at_most_one","curve":{"gain":{"hyperbola":{"half":0}},"total":1,"weight":1,"length":1,"bonus_item":0,"bonus":0}}"#,
        r#"{"kind":"at_most_one","items":[{"weight":1,"value":1}],"curve":{"gain":{"hyperbola":{"half":2}},"total":1,"weight":1,"length":1,"bonus_item":0,"bonus":0}}"#,
        r#"{"kind":"exactly_one","curve":{"gain":{"hyperbola":{"half":2}},"total":1,"weight":1,"length":1,"bonus_item":0,"bonus":0}}"#,
    ] {
        record.refuse::<Instance>(&format!(r#"{{"capacity":9,"classes":[{class}]}}"#));
    }
    let solution = |value: u32, choice: &str, sense: &str| {
        format!(
            r#"{{"choices":[{choice}],"value":{value},"weight":1,"certificate":{{"sense":"{sense}","objective":5,"bound":5}},"method":"core"}}"#
        )
    };
    record.refuse::<Solution>(&solution(4, "0", "maximize"));
    record.refuse::<Solution>(&solution(5, "4294967295", "maximize"));
    record.refuse::<Solution>(&solution(5, "0", "minimize"));
    record.refuse::<knapsack::Solver>(r#"{"budget":1}"#);
}
