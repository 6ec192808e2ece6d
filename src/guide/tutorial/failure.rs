use aryl::cluster::{Placement, Pool};

impl Scheduler {
    /// Only these first steps of a plan were carried out.
    fn report_some(&mut self, done: &[Action], now: Seconds) -> Result {
        // The `Start` steps of a job are one gang. They stand together.
        let starts = |step: &Action| match *step {
            Action::Start { job, .. } => Some(job),
            _ => None,
        };
        let same_gang =
            |one: &_, next: &_| starts(one).is_some() && starts(one) == starts(next);
        let cluster = &mut self.cluster;
        for steps in done.chunk_by(same_gang) {
            match steps[0] {
                Action::Preempt { job } => cluster.stop(job)?,
                Action::ScaleIn { job, server, workers, .. } => {
                    cluster.scale_in(job, server, workers)?;
                }
                Action::Return { server } => cluster.set_pool(server, Pool::Inference)?,
                Action::Lend { server } => cluster.set_pool(server, Pool::OnLoan)?,
                Action::ScaleOut { job, server, workers } => {
                    cluster.scale_out(job, server, workers)?;
                }
                Action::Start { job, .. } => {
                    let mut gang = Vec::new();
                    for step in steps {
                        if let Action::Start { server, workers, .. } = *step {
                            gang.push(Placement::base(server, workers));
                        }
                    }
                    cluster.place(job, &gang)?;
                }
                _ => {} // `Keep` changes nothing
            }
        }
        self.note(done, now)
    }
}
