//! Recorded traces and loads, as the examples read them.

use std::path::PathBuf;

use aryl::cluster::AllowedGpuTypes;
use aryl::sim::workload::{JobKinds, RecordedJob, Scenario};
use aryl::units::Seconds;

use super::{load, load_file, near, trace};

fn load_of(text: &str, source: Option<&str>, span: f64) -> Result<Vec<(f64, f64)>, String> {
    let load = load_file::parse(text, source, Seconds(span))?;
    Ok(load.points().iter().map(|&(time, share)| (time.0, share)).collect())
}

#[test]
fn a_load_is_read_and_repeated() {
    let text = "source,t_s,load\na,0,0.5\nb,0,0.1\na,300,1.2\n\nb,300,0.2\n";
    assert_eq!(load_of(text, Some("b"), 600.0), Ok(vec![(0.0, 0.1), (300.0, 0.2)]));
    let twice = vec![(0.0, 0.5), (300.0, 1.0), (600.0, 0.5), (900.0, 1.0)];
    assert_eq!(load_of(text, Some("a"), 700.0), Ok(twice));
    assert_eq!(load_of("t_s,load\n60,0.5\n", None, 1.0), Ok(vec![(0.0, 0.5)]));
}

#[test]
fn a_wrong_load_is_refused_with_its_line() {
    let error = |text: &str, source| load_of(text, source, 1.0).unwrap_err();
    assert_eq!(error("t_s\n1\n", None), "no column 'load' in the first line, which reads 't_s'");
    assert_eq!(error("t_s,load\n", None), "no line in it");
    assert_eq!(error("t_s,load,source\n0,1,a\n", Some("b")), "no line of the source 'b' in it");
    assert_eq!(error("t_s,load\n0,much\n", None), "line 2: load is 'much', not a number");
    assert_eq!(error("t_s,load\n0,NaN\n", None), "line 2: load is 'NaN', not a number");
    assert_eq!(error("t_s,load\n0,0.1\n0,0.2\n0,0.3\n", None), "the times do not ascend");
    assert!(error("t_s,load\n300,0.1\n0,0.2\n600,0.3\n", None).contains("ascend"));
}

/// The recorded traces are not part of the crate: set `ARYL_TRACES` to the folder that holds them.
#[test]
fn kinds_are_drawn_for_recorded_traces() {
    let Some(folder) = std::env::var_os("ARYL_TRACES").map(PathBuf::from) else {
        println!("skipped: ARYL_TRACES is not set");
        return;
    };
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("the folder holds it");
    for name in
        ["jobs_philly_15d_busy.csv", "jobs_philly_15d_mostjobs.csv", "jobs_helios_venus_2vc_2020sept.csv"]
    {
        let jobs = trace::parse(&read(name)).expect("a trace");
        let recorded: Vec<RecordedJob> = jobs
            .iter()
            .map(|job| RecordedJob {
                submitted: Seconds(job.submitted as f64),
                running_time: Seconds(job.duration as f64),
                gpus: job.gpus,
            })
            .collect();
        let jobs = JobKinds::scenario(Scenario::Basic).draw(&recorded, 1).expect("valid");
        let all = jobs.len() as f64;
        let elastic = jobs.iter().filter(|job| job.job.is_elastic());
        near("elastic jobs", elastic.clone().count() as f64 / all, 0.05, 0.01);
        near("their load", elastic.map(load).sum::<f64>() / jobs.iter().map(load).sum::<f64>(), 0.36, 0.03);
        let fungible = jobs.iter().filter(|job| job.job.gpu_types == AllowedGpuTypes::Any).count();
        near("fungible jobs", fungible as f64 / all, 0.21, 0.01);
        assert!(jobs.iter().all(|job| job.check().is_ok()));
    }
    for source in ["azure_code", "azure_conv"] {
        let text = read("infer_load_normalised.csv");
        let load = load_file::parse(&text, Some(source), Seconds(15.0 * 86_400.0)).expect("a load");
        assert!(load.points().last().expect("a point").0.0 >= 14.9 * 86_400.0);
    }
}
