impl Scheduler {
    /// A plan was carried out.
    fn report(&mut self, plan: &Plan, now: Seconds) -> Result {
        self.cluster.apply(plan)?;
        self.note(plan.actions(), now)
    }

    /// Notes the facts that the snapshot can't know by itself.
    fn note(&mut self, done: &[Action], now: Seconds) -> Result {
        for step in done {
            match *step {
                Action::Start { job: id, .. } => {
                    self.change(id, |job| job.started = Some(now))?;
                }
                // What a stopped job loses is ours to know. Here it keeps its work.
                Action::Preempt { job: id } => {
                    self.change(id, |job| job.preemptions += 1)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Changes what the snapshot says of a job.
    fn change(&mut self, id: JobId, change: impl FnOnce(&mut Job)) -> Result {
        let mut job = self.cluster.job(id).ok_or("no such job")?.clone();
        change(&mut job);
        self.cluster.update_job(id, job)?;
        Ok(())
    }
}
