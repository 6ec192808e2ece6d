//! Draws a cluster before and after a reclaim, by the greedy of the paper and by the exact rule: the picture of the README.
//!
//! ```text
//! cargo run --release --example picture > examples/reclaim.svg
//! ```

use std::error::Error;
use std::fmt::{self, Write};

use aryl::cluster::{Cluster, GpuType, Job, Placement, Pool, Role, Server};
use aryl::id::{JobId, ServerId};
use aryl::reclaim::{Policy, Reclaim, Reclaimer, server_preemption_costs};

/// The servers. A small letter is a GPU of this job's base, a capital one a GPU of its flexible workers; a dot is a free one.
const SERVERS: [(Pool, &str); 9] = [
    (Pool::Training, "eeeeffff"),
    (Pool::Training, "ffffgggg"),
    (Pool::OnLoan, "aabbcc.."),
    (Pool::OnLoan, "aabbcc.."),
    (Pool::OnLoan, "aabbcc.."),
    (Pool::OnLoan, "aabbcc.."),
    (Pool::OnLoan, "dddddddd"),
    (Pool::OnLoan, "EEEEEE.."),
    (Pool::Inference, "........"),
];
const ASKED: u32 = 2;

/// What one GPU shows.
#[derive(Clone, Copy)]
enum Gpu {
    Free,
    Inference,
    Base(JobId),
    Flexible(JobId),
    Preempted(JobId),
    ScaledIn(JobId),
}

// Lengths in pixels.
const WIDTH: usize = 820;
const MARGIN: usize = 22;
const PANEL: usize = 138;
const CELL: usize = 16;
const SERVER: usize = 80;

/// Colours of the jobs a to g, after the palette of Okabe and Ito: they differ for the colour-blind too, and carry black letters.
const FILLS: [&str; 7] = ["#56b4e9", "#e69f00", "#d795b9", "#f0e442", "#33b894", "#bcc6d1", "#e3d3b4"];

const STYLE: &str = "\
text { font: 12px system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; fill: #1f2328 }
.title { font-size: 15px; font-weight: 600 } .middle { text-anchor: middle } .pale { fill: #59636e }
.back { fill: #0072b2; font-weight: 600 } .cross { stroke: #b3261e; stroke-width: 1.8; stroke-linecap: round }";

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", drawing()?);
    Ok(())
}

/// The whole picture, as SVG.
pub(crate) fn drawing() -> Result<String, Box<dyn Error>> {
    let cluster = cluster()?;
    let greedy = Reclaimer::new(Policy::Aryl).solve(&cluster, ASKED)?;
    let exact = Reclaimer::new(Policy::Exact).solve(&cluster, ASKED)?;
    let lent = SERVERS.iter().filter(|(pool, _)| *pool == Pool::OnLoan).count();

    let title = format!("Inference asks for {ASKED} of the {lent} servers on loan");
    let short = |answer: &Reclaim| {
        let jobs = answer.preempted().len();
        let lost = answer.collateral_gpus();
        format!(
            "{jobs} job{} preempted, {lost} GPUs lost on servers that stay",
            if jobs == 1 { "" } else { "s" }
        )
    };
    let height = MARGIN + 3 * PANEL + 68;
    let mut svg = String::new();
    writeln!(
        svg,
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="title desc">
<title id="title">{title}: the paper's greedy against the exact choice</title>
<desc id="desc">Servers as boxes, GPUs as cells. Greedy: {}. Exact: {}.</desc>
<style>{STYLE}</style>
<rect x="0.5" y="0.5" width="{}" height="{}" rx="10" fill="#ffffff" stroke="#d0d7de"/>"##,
        short(&greedy),
        short(&exact),
        WIDTH - 1,
        height - 1
    )?;
    panel(&mut svg, MARGIN, &format!("Before. {title}."), &cluster, None)?;
    panel(
        &mut svg,
        MARGIN + PANEL,
        &format!("After the greedy of the paper: {}.", short(&greedy)),
        &cluster,
        Some(&greedy),
    )?;
    panel(
        &mut svg,
        MARGIN + 2 * PANEL,
        &format!("After the exact choice: {}.", short(&exact)),
        &cluster,
        Some(&exact),
    )?;
    legend(&mut svg, height - 62)?;

    // Why the greedy errs: what it takes the servers to cost that only one of the two answers gives back.
    let prices = server_preemption_costs(&cluster);
    let price = |answer: &Reclaim, other: &Reclaim| {
        let row = prices
            .iter()
            .find(|row| answer.servers().contains(&row.server) && !other.servers().contains(&row.server));
        row.map_or_else(String::new, |row| format!("{} at {}", row.server, row.cost))
    };
    writeln!(
        svg,
        r#"<text x="{MARGIN}" y="{}">The greedy prices {}, {}, and pays {} jobs. The least is {}.</text>"#,
        height - 20,
        price(&greedy, &exact),
        price(&exact, &greedy),
        greedy.certificate().objective(),
        exact.certificate()
    )?;
    svg.push_str("</svg>\n");
    Ok(svg)
}

/// The cluster that `SERVERS` shows.
fn cluster() -> Result<Cluster, Box<dyn Error>> {
    let mut cluster = Cluster::new();
    let gpu = cluster.add_gpu_type(GpuType::new("V100"))?;
    let mut servers = Vec::new();
    for (pool, gpus) in SERVERS {
        let count = gpus.len() as u32;
        servers.push(cluster.add_server(match pool {
            Pool::Training => Server::training(gpu, count),
            Pool::OnLoan => Server::on_loan(gpu, count),
            Pool::Inference => Server::inference(gpu, count),
        })?);
    }
    for job in ('a'..).take(FILLS.len()) {
        let held = |letter: char| SERVERS.map(|(_, gpus)| gpus.matches(letter).count() as u32);
        let (base, flexible) = (held(job), held(job.to_ascii_uppercase()));
        let (least, more): (u32, u32) = (base.iter().sum(), flexible.iter().sum());
        let id = cluster.add_job(Job::elastic(least..=least + more))?;
        let base = servers.iter().zip(base).map(|(&server, workers)| Placement::base(server, workers));
        let flexible =
            servers.iter().zip(flexible).map(|(&server, workers)| Placement::flexible(server, workers));
        let placements: Vec<Placement> =
            base.chain(flexible).filter(|placement| placement.workers > 0).collect();
        cluster.place(id, &placements)?;
    }
    Ok(cluster)
}

/// Appends the servers under a heading, before (no answer) or after the reclaim.
fn panel(
    svg: &mut String,
    top: usize,
    title: &str,
    cluster: &Cluster,
    answer: Option<&Reclaim>,
) -> fmt::Result {
    writeln!(svg, r#"<text class="title" x="{MARGIN}" y="{}">{title}</text>"#, top + 12)?;
    let (mut x, mut pool_before) = (MARGIN, None);
    for (id, server) in cluster.servers() {
        if pool_before.is_some_and(|before| before != server.pool) {
            x += 12;
        }
        if pool_before != Some(server.pool) {
            writeln!(svg, r#"<text class="pale" x="{x}" y="{}">{}</text>"#, top + 36, server.pool)?;
        }
        pool_before = Some(server.pool);
        let returns = answer.is_some_and(|answer| answer.servers().contains(&id));
        let (edge, width) = if returns { ("#0072b2", 2.5) } else { ("#8c959f", 1.0) };
        let y = top + 43;
        writeln!(
            svg,
            r##"<rect x="{x}" y="{y}" width="{SERVER}" height="44" rx="5" fill="#ffffff" stroke="{edge}" stroke-width="{width}"/>"##
        )?;
        for (at, gpu) in gpus(cluster, id, server, answer).into_iter().enumerate() {
            cell(svg, x + 5 + at % 4 * (CELL + 2), y + 5 + at / 4 * (CELL + 2), gpu)?;
        }
        let middle = x + SERVER / 2;
        writeln!(svg, r#"<text class="middle pale" x="{middle}" y="{}">{id}</text>"#, y + 58)?;
        if returns {
            writeln!(svg, r#"<text class="middle back" x="{middle}" y="{}">goes back</text>"#, y + 73)?;
        }
        x += SERVER + 4;
    }
    Ok(())
}

/// What each GPU of a server shows.
fn gpus(cluster: &Cluster, id: ServerId, server: &Server, answer: Option<&Reclaim>) -> Vec<Gpu> {
    let mut gpus = Vec::new();
    for tenant in cluster.tenants(id) {
        let preempted = answer.is_some_and(|answer| answer.preempted().contains(&tenant.job));
        let left = answer.is_some_and(|answer| answer.servers().contains(&id));
        let gpu = match tenant.role {
            _ if preempted => Gpu::Preempted(tenant.job),
            _ if left => Gpu::ScaledIn(tenant.job),
            Role::Base => Gpu::Base(tenant.job),
            Role::Flexible => Gpu::Flexible(tenant.job),
        };
        gpus.extend((0..tenant.workers).map(|_| gpu));
    }
    let rest = if server.pool == Pool::Inference { Gpu::Inference } else { Gpu::Free };
    gpus.resize(server.gpus as usize, rest);
    gpus
}

/// Appends one GPU.
fn cell(svg: &mut String, x: usize, y: usize, gpu: Gpu) -> fmt::Result {
    let paint = match gpu {
        Gpu::Free => String::from(r##"fill="#ffffff" stroke="#c4ccd4""##),
        Gpu::Inference => String::from(r##"fill="#57606a""##),
        Gpu::Base(job) => format!(r##"fill="{}" stroke="#59636e""##, FILLS[job.index()]),
        Gpu::Flexible(job) => {
            format!(r##"fill="{}" stroke="#1f2328" stroke-dasharray="2""##, FILLS[job.index()])
        }
        Gpu::Preempted(job) => {
            format!(r##"fill="{}" fill-opacity="0.3" stroke="#b3261e""##, FILLS[job.index()])
        }
        Gpu::ScaledIn(job) => format!(
            r##"fill="{}" fill-opacity="0.15" stroke="#1f2328" stroke-dasharray="2""##,
            FILLS[job.index()]
        ),
    };
    writeln!(svg, r#"<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" rx="2" {paint}/>"#)?;
    match gpu {
        Gpu::Base(job) | Gpu::Flexible(job) => {
            let letter = char::from(b'a' + job.index() as u8);
            writeln!(svg, r#"<text class="middle" x="{}" y="{}">{letter}</text>"#, x + CELL / 2, y + 12)
        }
        Gpu::Preempted(_) => {
            let (left, right, top, bottom) = (x + 4, x + CELL - 4, y + 4, y + CELL - 4);
            writeln!(
                svg,
                r#"<path class="cross" d="M{left} {top}L{right} {bottom}M{right} {top}L{left} {bottom}"/>"#
            )
        }
        _ => Ok(()),
    }
}

/// Appends what the marks mean.
fn legend(svg: &mut String, y: usize) -> fmt::Result {
    let elastic = JobId::new(4);
    // With room in pixels for each text in a wide font.
    let marks = [
        (Gpu::Base(elastic), "GPU of a job", 76),
        (Gpu::Flexible(elastic), "of its flexible workers", 130),
        (Gpu::Preempted(JobId::new(3)), "preempted", 68),
        (Gpu::ScaledIn(elastic), "left, its job runs on", 116),
        (Gpu::Free, "free", 26),
        (Gpu::Inference, "serves inference", 100),
    ];
    let mut x = MARGIN;
    for (gpu, text, room) in marks {
        cell(svg, x, y, gpu)?;
        writeln!(svg, r#"<text x="{}" y="{}">{text}</text>"#, x + CELL + 6, y + 12)?;
        x += CELL + 6 + room + 24;
    }
    Ok(())
}
