//! The clusters and the workload that a command line asks for.

use aryl::cluster::GpuType;
use aryl::sim::Setup;
use aryl::sim::workload::{
    DiurnalLoad, JobKinds, RecordedJob, RunningTimes, Scenario, Surge, TraceSpec, Workload,
};
use aryl::units::Seconds;

use super::arguments::Arguments;
use super::text::one_line;
use super::{load, trace};

/// The options that [`Input`] reads, for a help text.
pub(crate) const OPTIONS: &str = "  --training N        training servers of 8 V100
  --inference N       inference servers of 8 T4, three of which do the work of one V100
  --load FILE         inference load: a CSV file with the columns t_s and load, the share of the GPUs that are busy;
                      by default it is generated, from 42 to 95 % with the day
  --source NAME       only the lines of FILE with this name in the column source
  --scenario NAME     which jobs are elastic, fungible or heterogeneous, in the paper's proportions: basic, advanced,
                      heterogeneous or ideal; basic by default
  --seed N            what is drawn: a generated trace, and the kinds of the jobs of a recorded one; 1 by default
  --jobs N            jobs of a generated trace
  --bootstrap N       replay N days drawn from the trace with replacement
  --min-duration N    leave out recorded jobs that ran for less than N seconds
  --max-gpu-hours N   leave out recorded jobs of more than N GPU hours
";

/// Servers of each cluster.
#[derive(Clone, Copy)]
pub(crate) struct Servers {
    pub(crate) training: u32,
    pub(crate) inference: u32,
}

/// The clusters of the paper, and those that go with 15 days of the Philly trace.
pub(crate) const PAPER: Servers = Servers { training: 443, inference: 520 };
pub(crate) const PHILLY: Servers = Servers { training: 96, inference: 104 };
/// A tenth of the paper's.
pub(crate) const SMALL: Servers = Servers { training: 44, inference: 52 };

/// What is replayed, as the command line says it.
#[derive(Clone)]
pub(crate) struct Input {
    pub(crate) trace: Option<String>,
    pub(crate) scenario: Scenario,
    pub(crate) seed: u64,
    servers: (Option<u32>, Option<u32>),
    load: Option<String>,
    source: Option<String>,
    jobs: Option<u32>,
    bootstrap: Option<u32>,
    min_duration: u64,
    max_gpu_hours: Option<u64>,
}

impl Default for Input {
    fn default() -> Self {
        Self {
            trace: None,
            scenario: Scenario::Basic,
            seed: 1,
            servers: (None, None),
            load: None,
            source: None,
            jobs: None,
            bootstrap: None,
            min_duration: 0,
            max_gpu_hours: None,
        }
    }
}

impl Input {
    /// Reads this option, if it is one of ours.
    pub(crate) fn option(&mut self, option: &str, arguments: &mut Arguments<'_>) -> Result<bool, String> {
        match option {
            "--training" => self.servers.0 = Some(server_count(arguments.number(option)?)?),
            "--inference" => self.servers.1 = Some(server_count(arguments.number(option)?)?),
            "--load" => self.load = Some(arguments.value(option, "a file")?),
            "--source" => self.source = Some(arguments.value(option, "a name")?),
            "--scenario" => self.scenario = scenario(&arguments.value(option, "a name")?)?,
            "--seed" => self.seed = arguments.number(option)?,
            "--jobs" => self.jobs = Some(arguments.number(option)?),
            "--bootstrap" => self.bootstrap = Some(arguments.number(option)?),
            "--min-duration" => self.min_duration = arguments.number(option)?,
            "--max-gpu-hours" => self.max_gpu_hours = Some(arguments.number(option)?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The same with another seed.
    pub(crate) fn with_seed(&self, seed: u64) -> Self {
        Self { seed, ..self.clone() }
    }

    /// The servers of the two clusters: those of the command line, or these.
    pub(crate) fn servers(&self, default: Servers) -> Servers {
        Servers {
            training: self.servers.0.unwrap_or(default.training),
            inference: self.servers.1.unwrap_or(default.inference),
        }
    }

    /// The jobs as recorded or generated, before their kinds are drawn.
    pub(crate) fn recorded(&self, servers: Servers) -> Result<Vec<RecordedJob>, String> {
        let Some(path) = &self.trace else {
            return spec(servers, self.jobs).record(self.seed).map_err(|error| error.to_string());
        };
        let jobs = trace::parse(&read(path)?).map_err(|error| format!("{path}: {error}"))?;
        let keep = |job: &trace::TraceJob| {
            let hours = job.gpu_seconds() / 3_600;
            job.duration >= self.min_duration
                && self.max_gpu_hours.is_none_or(|most| hours <= u128::from(most))
        };
        let first = jobs.first().map_or(0, |job| job.submitted);
        // From the midnight before the first job on, so that the time of day stays what it was.
        let start = first - first % 86_400;
        let jobs = jobs.iter().filter(|job| keep(job)).map(|job| RecordedJob {
            submitted: Seconds((job.submitted - start) as f64),
            running_time: Seconds(job.duration as f64),
            gpus: job.gpus,
        });
        Ok(jobs.collect())
    }

    /// The proportions of a scenario: those of the paper's trace, or the same shares for a recorded one.
    pub(crate) fn kinds(&self, scenario: Scenario) -> JobKinds {
        match self.trace {
            Some(_) => JobKinds::scenario(scenario),
            None => TraceSpec::paper(scenario).kinds,
        }
    }

    /// The workload, with jobs of these kinds.
    pub(crate) fn workload(
        &self,
        recorded: &[RecordedJob],
        kinds: &JobKinds,
        seed: u64,
    ) -> Result<Workload, String> {
        let says = |error: aryl::sim::workload::SpecError| error.to_string();
        let days = recorded.last().map_or(1.0, |job| (job.submitted.0 / 86_400.0).floor() + 1.0);
        let span = Seconds(days * 86_400.0);
        let load = match &self.load {
            Some(path) => load::parse(&read(path)?, self.source.as_deref(), span)
                .map_err(|error| format!("{path}: {error}"))?,
            None => DiurnalLoad::PAPER.generate(span, seed).map_err(says)?,
        };
        let workload = Workload { jobs: kinds.draw(recorded, seed).map_err(says)?, load };
        match self.bootstrap {
            Some(days) => workload.bootstrap(days, seed).map_err(says),
            None => Ok(workload),
        }
    }

    /// What is replayed, in words.
    pub(crate) fn says(&self, servers: Servers) -> String {
        let Servers { training, inference } = servers;
        let trace = match &self.trace {
            Some(path) => file_name(path),
            None => format!("generated trace, seed {}", self.seed),
        };
        let load = match (&self.load, &self.source) {
            (Some(path), None) => file_name(path),
            (Some(_), Some(source)) => source.clone(),
            (None, _) => "generated load".to_string(),
        };
        format!(
            "{trace}; {training} training servers of 8 V100; {inference} inference servers of 8 T4 under {load}"
        )
    }
}

/// Two clusters of this many servers.
pub(crate) fn setup(servers: Servers) -> Setup {
    let setup = Setup::new(GpuType::new("V100"), servers.training, 8);
    if servers.inference == 0 {
        return setup;
    }
    setup.inference(GpuType::new("T4").speed(1, 3), servers.inference, 8)
}

/// The paper's trace, in proportion to the servers.
fn spec(servers: Servers, jobs: Option<u32>) -> TraceSpec {
    let paper = TraceSpec::paper(Scenario::Basic);
    let share = f64::from(servers.training) / f64::from(PAPER.training);
    let in_proportion = (f64::from(paper.jobs) * share).round() as u32;
    let jobs = jobs.unwrap_or(in_proportion.max(1));
    // On a few servers the largest jobs alone would be a surge.
    let surge = if share < 0.5 { Surge { min_gpus: 16, load: 0.03, ..Surge::PAPER } } else { Surge::PAPER };
    TraceSpec { jobs, surge: Some(surge), running_times: RunningTimes::PAPER, ..paper }
}

fn scenario(name: &str) -> Result<Scenario, String> {
    let found = Scenario::ALL.into_iter().find(|scenario| scenario.name().eq_ignore_ascii_case(name));
    found.ok_or_else(|| format!("unknown scenario '{name}'; --help lists them"))
}

fn server_count(servers: u32) -> Result<u32, String> {
    const LIMIT: u32 = 100_000;
    if servers <= LIMIT {
        Ok(servers)
    } else {
        Err(format!("{servers} servers are above the limit of {LIMIT}"))
    }
}

fn read(path: &str) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))
}

fn file_name(path: &str) -> String {
    let name = std::path::Path::new(path).file_name();
    one_line(&name.map_or(path.into(), |name| name.to_string_lossy()))
}
