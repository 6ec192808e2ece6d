impl Scheduler {
    /// The jobs that run have run for `elapsed` seconds more.
    fn pass(&mut self, elapsed: f64) -> Result {
        for id in (0..self.jobs.len() as u32).map(JobId::new) {
            let Some(end) = self.cluster.time_to_end(id) else {
                continue; // it waits, or is gone
            };
            // One that runs beyond its estimate is given another minute.
            let left =
                |all: Seconds| Seconds((all.0 * (1.0 - elapsed / end.0)).max(60.0));
            self.change(id, |job| job.remaining = left(job.remaining))?;
        }
        Ok(())
    }

    /// A job has ended, or was withdrawn.
    fn remove_job(&mut self, name: &str) -> Option<Job> {
        self.cluster.remove_job(self.ids.remove(name)?)
    }
}
