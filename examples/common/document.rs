//! The file that the example reads: a cluster, what is asked of it, and names to print.
//!
//! ```json
//! {
//!   "request": { "reclaim": 2, "lend": 0 },
//!   "server_names": ["train-1", "loan-1"],
//!   "job_names": ["resnet"],
//!   "cluster": { "gpu_types": [...], "servers": [...], "jobs": [...], "placements": [...] }
//! }
//! ```
//!
//! All but the cluster can be left out, and a file that is a cluster alone, as `serde` writes it, will do too.

use aryl::cluster::Cluster;
use aryl::epoch::Request;
use aryl::id::{JobId, ServerId};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::text::{cut, one_line};

/// What a file says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Document {
    #[serde(default)]
    pub(crate) request: Request<'static>,
    /// Names by server id.
    #[serde(default)]
    server_names: Vec<String>,
    /// Names by job id.
    #[serde(default)]
    job_names: Vec<String>,
    pub(crate) cluster: Cluster,
}

/// Tells the two forms of a file apart, without reading what is in it.
#[derive(Deserialize)]
struct Form {
    cluster: Option<IgnoredAny>,
}

impl Document {
    /// Reads a file's text. `serde` checks the cluster as it comes in, so what is read is sound.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        Self::read(text).map_err(|error| one_line(&error.to_string()))
    }

    fn read(text: &str) -> Result<Self, serde_json::Error> {
        let form: Form = serde_json::from_str(text)?;
        if form.cluster.is_some() {
            return serde_json::from_str(text);
        }
        let cluster = serde_json::from_str(text)?;
        Ok(Self { request: Request::NONE, server_names: Vec::new(), job_names: Vec::new(), cluster })
    }

    /// The names to print, each thing without a name under its number.
    pub(crate) fn names(&self) -> Names {
        let servers = self.cluster.servers().map(|(id, _)| id.index() + 1).max().unwrap_or(0);
        let jobs = self.cluster.jobs().map(|(id, _)| id.index() + 1).max().unwrap_or(0);
        Names {
            servers: named("server", servers, &self.server_names),
            jobs: named("job", jobs, &self.job_names),
            marks: (0..jobs).map(mark).collect(),
        }
    }
}

/// What to call servers and jobs. Ids are dense, so a vector holds the names.
pub(crate) struct Names {
    servers: Vec<String>,
    jobs: Vec<String>,
    marks: Vec<String>,
}

impl Names {
    pub(crate) fn server(&self, server: ServerId) -> &str {
        &self.servers[server.index()]
    }

    /// The job's mark and name.
    pub(crate) fn job(&self, job: JobId) -> String {
        format!("{} {}", self.mark(job), self.job_name(job))
    }

    pub(crate) fn job_name(&self, job: JobId) -> &str {
        &self.jobs[job.index()]
    }

    /// What stands for the job in the picture: A to Z, then A1 to Z1, and so on.
    pub(crate) fn mark(&self, job: JobId) -> &str {
        &self.marks[job.index()]
    }
}

fn named(noun: &str, count: usize, names: &[String]) -> Vec<String> {
    let name = |id: usize| match names.get(id) {
        Some(name) if !name.trim().is_empty() => cut(&one_line(name), 16),
        _ => format!("{noun} {id}"),
    };
    (0..count).map(name).collect()
}

fn mark(job: usize) -> String {
    let letter = char::from(b'A' + (job % 26) as u8);
    match job / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}
