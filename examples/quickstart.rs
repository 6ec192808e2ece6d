//! The code of the README: a cluster, an elastic job, a reclaim.
//!
//! ```text
//! cargo run --release --example quickstart
//! ```

use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
use aryl::epoch::{Epoch, Request};
use aryl::units::Seconds;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut cluster = Cluster::new();
    let v100 = cluster.add_gpu_type(GpuType::new("V100"))?; // the reference, speed 1
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3))?;
    cluster.add_server(Server::training(v100, 8))?;
    let lent = [cluster.add_server(Server::on_loan(t4, 8))?, cluster.add_server(Server::on_loan(t4, 8))?];

    // Job 0 runs on 2 to 4 GPUs. On a T4 three workers do the work of one, so here it holds its maximum.
    let elastic = cluster.add_job(Job::elastic(2..=4).remaining(Seconds(36_000.0)).fungible())?;
    cluster.place(elastic, &[Placement::flexible(lent[0], 6), Placement::base(lent[1], 6)])?;
    // Job 1 waits for a whole server.
    let waiting = cluster.add_job(Job::inelastic(8).remaining(Seconds(7_200.0)))?;

    // Inference asks for one of the two servers on loan.
    let plan = Epoch::default().plan(&cluster, Request::reclaim(1))?;
    for action in plan.actions() {
        println!("{action}"); // in the order to carry them out
    }
    println!("preemption cost: {}", plan.reclaim().certificate());

    cluster.apply(&plan)?;
    assert!(cluster.is_running(elastic) && cluster.is_running(waiting));
    assert!(Epoch::default().plan(&cluster, Request::NONE)?.is_empty()); // nothing is left to do
    Ok(())
}
