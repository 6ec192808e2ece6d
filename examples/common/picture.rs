//! The servers of a cluster as a picture in text: one row a server, one cell a GPU.

use aryl::cluster::{Cluster, Pool, Role};
use aryl::id::ServerId;

use super::document::Names;
use super::text::{count, paragraph, table};

/// A picture with more rows than this shows only the servers that change.
const ROWS: usize = 48;

/// A row with more characters than this is written as counts.
const CELLS: usize = 24;

/// Appends the servers before and after, side by side.
pub(crate) fn servers(out: &mut String, names: &Names, before: &Cluster, after: &Cluster) {
    let differs = |id: ServerId| {
        before.tenants(id) != after.tenants(id)
            || before.server(id).map(|server| server.pool) != after.server(id).map(|server| server.pool)
    };
    let mut shown: Vec<ServerId> = before.servers().map(|(id, _)| id).collect();
    let all = shown.len();
    if all > ROWS {
        shown.retain(|&id| differs(id));
        shown.truncate(ROWS);
    }
    let mut rows = vec![["server", "pool", "type", "before", "after", ""].map(str::to_string).to_vec()];
    rows.extend(shown.iter().map(|&id| row(names, before, after, id)));
    table(out, &rows);
    if all > shown.len() {
        let others = count((all - shown.len()) as u64, "server");
        paragraph(out, "  ", &format!("(Not shown: {others}, those that do not change first.)"));
    }
}

fn row(names: &Names, before: &Cluster, after: &Cluster, id: ServerId) -> Vec<String> {
    let Some(server) = before.server(id) else { return Vec::new() };
    let pool_after = after.server(id).map_or(server.pool, |server| server.pool);
    let gpu_type = before.gpu_type(server.gpu_type).map_or("?", |gpu_type| gpu_type.name.as_str());
    let note = match (server.pool, pool_after) {
        (Pool::OnLoan, Pool::Inference) => "returns to inference",
        (Pool::Inference, Pool::OnLoan) => "is lent to training",
        _ if server.protected => "protected",
        _ => "",
    };
    let cells = [names.server(id), &server.pool.to_string(), gpu_type].map(str::to_string);
    let pictures = [gpus(names, before, id), gpus(names, after, id), note.to_string()];
    cells.into_iter().chain(pictures).collect()
}

/// The GPUs of a server: a job's mark for each that a base worker holds, the same in small letters for flexible workers,
/// `.` for an idle one, `-` for one that serves inference.
fn gpus(names: &Names, cluster: &Cluster, id: ServerId) -> String {
    let Some(server) = cluster.server(id) else { return String::new() };
    let mut groups: Vec<(String, u32)> = Vec::new();
    for tenant in cluster.tenants(id) {
        let mark = names.mark(tenant.job);
        let mark = if tenant.role == Role::Base { mark.to_string() } else { mark.to_lowercase() };
        let gpus_per_worker = cluster.job(tenant.job).map_or(0, |job| job.gpus_per_worker);
        groups.push((mark, tenant.workers * gpus_per_worker));
    }
    let free = if server.pool == Pool::Inference { "-" } else { "." };
    groups.push((free.to_string(), cluster.free_gpus(id)));
    groups.retain(|group| group.1 > 0);
    let length: usize = groups.iter().map(|(mark, gpus)| mark.len() * *gpus as usize).sum();
    if length > CELLS {
        let parts: Vec<String> = groups.iter().map(|(mark, gpus)| format!("{gpus}*{mark}")).collect();
        return parts.join(" ");
    }
    groups.iter().map(|(mark, gpus)| mark.repeat(*gpus as usize)).collect()
}
