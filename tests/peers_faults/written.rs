//! A cluster that somebody reports can be written down, decided again, and explains itself.

use aryl::cluster::{Cluster, Job};
use aryl::epoch::{Epoch, Plan, Request};
use aryl::verify;

use crate::board::Board;

/// Elsewhere a bug report came with a log and no input, and the decision could not be made again.
#[test]
fn a_reported_cluster_is_written_replayed_and_explained() {
    let board = Board::new(&["aab.", "cc..", "#bb.."], |letter, held| match letter {
        'b' => Job::elastic(1..=held),
        _ => Job::inelastic(held),
    });
    let request = Request::reclaim(1);
    let plan = Epoch::default().plan(&board.cluster, &request).unwrap();
    let report = serde_json::to_string(&(&board.cluster, &request, &plan)).unwrap();

    let (mut cluster, request, reported): (Cluster, Request<'_>, Plan) =
        serde_json::from_str(&report).unwrap();
    assert_eq!(cluster, board.cluster);
    let replayed = Epoch::default().plan(&cluster, &request).unwrap();
    assert_eq!(replayed, reported);
    assert_eq!(verify::plan(&cluster, &request, &reported), Ok(()));
    assert_eq!(
        replayed.reclaim().explain(&cluster).to_string(),
        "server 1 goes back: job 2 is preempted (2 workers, 2 GPUs here)\n\
         job 2 is preempted: that frees server 1"
    );
    cluster.apply(&reported).unwrap();
}
