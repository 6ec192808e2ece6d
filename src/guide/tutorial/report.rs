use aryl::cluster::{Placement, Pool};

impl Scheduler {
    /// The first `done` steps of a plan were carried out.
    fn report(
        &mut self,
        plan: &Plan,
        done: usize,
        now: Seconds,
    ) -> Result<(), Box<dyn Error>> {
        let steps = &plan.actions()[..done];
        if done == plan.actions().len() {
            self.cluster.apply(plan)?;
        } else {
            self.write_down(steps)?;
        }
        for step in steps {
            let (Action::Start { job: id, .. } | Action::Preempt { job: id }) = *step
            else {
                continue;
            };
            let mut job = self.cluster.job(id).expect("the plan names it").clone();
            match step {
                Action::Start { .. } => job.started = Some(now),
                // What a job loses is ours to know. Here it keeps its work.
                _ => job.preemptions += 1,
            }
            self.cluster.update_job(id, job)?;
        }
        Ok(())
    }

    /// Each step by the method of the same meaning.
    fn write_down(&mut self, steps: &[Action]) -> Result<(), Box<dyn Error>> {
        // The `Start` steps of a job are one gang: they stand together, and are placed together.
        let same_gang = |one: &Action, next: &Action| match (one, next) {
            (Action::Start { job, .. }, Action::Start { job: other, .. }) => job == other,
            _ => false,
        };
        for steps in steps.chunk_by(same_gang) {
            match steps[0] {
                Action::Preempt { job } => self.cluster.stop(job)?,
                Action::ScaleIn { job, server, workers, .. } => {
                    self.cluster.scale_in(job, server, workers)?
                }
                Action::Return { server } => {
                    self.cluster.set_pool(server, Pool::Inference)?
                }
                Action::Lend { server } => self.cluster.set_pool(server, Pool::OnLoan)?,
                Action::ScaleOut { job, server, workers } => {
                    self.cluster.scale_out(job, server, workers)?
                }
                Action::Start { job, .. } => {
                    let base = |step: &Action| match *step {
                        Action::Start { server, workers, .. } => {
                            Some(Placement::base(server, workers))
                        }
                        _ => None,
                    };
                    let gang: Vec<Placement> = steps.iter().filter_map(base).collect();
                    self.cluster.place(job, &gang)?;
                }
                _ => {} // `Keep` changes nothing
            }
        }
        Ok(())
    }

    /// The jobs that run have run for `elapsed` seconds more.
    fn pass(&mut self, elapsed: f64) -> Result<(), Box<dyn Error>> {
        let running: Vec<JobId> = self
            .cluster
            .jobs()
            .map(|(id, _)| id)
            .filter(|&id| self.cluster.is_running(id))
            .collect();
        for id in running {
            let end = self.cluster.time_to_end(id).expect("it runs").0;
            let mut job = self.cluster.job(id).expect("it is held").clone();
            // One that runs beyond its estimate is given another minute.
            job.remaining = Seconds((job.remaining.0 * (1.0 - elapsed / end)).max(60.0));
            self.cluster.update_job(id, job)?;
        }
        Ok(())
    }

    /// A job has ended, or was withdrawn.
    fn remove_job(&mut self, name: &str) -> Option<Job> {
        self.cluster.remove_job(self.ids.remove(name)?)
    }
}
