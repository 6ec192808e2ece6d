// The tutorial's cluster as each step leaves it, for the steps after it. The blocks of the page compare theirs with these.
mod story {
    use super::{Job, Scheduler, Seconds, Server};
    use aryl::cluster::GpuType;
    use aryl::epoch::{Epoch, Request};

    pub fn described() -> Scheduler {
        let mut scheduler = Scheduler::default();
        let v100 = scheduler.cluster.add_gpu_type(GpuType::new("V100")).unwrap();
        let t4 = scheduler.cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
        for name in ["gpu-1", "gpu-2"] {
            scheduler.add_node(name, Server::training(v100, 8)).unwrap();
        }
        for name in ["t4-1", "t4-2", "t4-3", "t4-4", "t4-5"] {
            scheduler.add_node(name, Server::inference(t4, 8)).unwrap();
        }
        let jobs = [
            ("lint", Job::inelastic(4).remaining(Seconds(600.0))),
            ("vision", Job::elastic(2..=8).remaining(Seconds(7_200.0)).fungible()),
            ("bert", Job::elastic(4..=12).remaining(Seconds(14_400.0))),
            ("gpt", Job::inelastic(2).gpus_per_worker(8).remaining(Seconds(72_000.0))),
        ];
        for (name, job) in jobs {
            scheduler.add_job(name, job).unwrap();
        }
        scheduler
    }

    fn planned(mut scheduler: Scheduler, request: Request<'_>, now: f64) -> Scheduler {
        let plan = Epoch::default().plan(&scheduler.cluster, request).unwrap();
        scheduler.report(&plan, Seconds(now)).unwrap();
        scheduler
    }

    pub fn started() -> Scheduler {
        planned(described(), Request::NONE, 0.0)
    }

    pub fn ten_minutes_on() -> Scheduler {
        let mut scheduler = started();
        scheduler.pass(600.0).unwrap();
        scheduler.remove_job("lint");
        scheduler.add_job("speech", Job::inelastic(8).remaining(Seconds(3_600.0))).unwrap();
        scheduler
    }

    pub fn quiet_hour() -> Scheduler {
        let mut scheduler = planned(ten_minutes_on(), Request::NONE, 600.0);
        scheduler.pass(300.0).unwrap();
        let jobs = [
            ("rerank", Job::elastic(1..=4).remaining(Seconds(7_200.0))),
            ("embed", Job::inelastic(2).remaining(Seconds(5_400.0))),
            ("index", Job::inelastic(2).remaining(Seconds(4_320.0))),
        ];
        for (name, job) in jobs {
            scheduler.add_job(name, job.fungible()).unwrap();
        }
        scheduler
    }

    pub fn lent() -> Scheduler {
        planned(quiet_hour(), Request::lend(3), 900.0)
    }

    pub fn busy_hour() -> Scheduler {
        let mut scheduler = lent();
        scheduler.pass(1_800.0).unwrap();
        let index = scheduler.ids["index"];
        scheduler.change(index, |job| job.checkpointed = Some(Seconds(2_640.0))).unwrap();
        scheduler
    }
}
