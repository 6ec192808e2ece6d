//! The rules of placement, each on a cluster small enough to follow by hand.

use super::*;

#[test]
fn inelastic_prefers_training_and_elastic_prefers_on_loan() {
    let (mut cluster, v100) = plain(&[8], &[8]);
    let inelastic = cluster.add_job(Job::inelastic(2)).unwrap();
    let elastic = cluster.add_job(Job::elastic(2..=4)).unwrap();
    let mixing = cluster.add_job(Job::elastic(2..=4).fungible().heterogeneous()).unwrap();
    let mut bench = Bench::new(cluster);
    for job in [inelastic, elastic, mixing] {
        assert!(bench.start(job));
    }
    assert_eq!(bench.base(inelastic), [(0, 2)]);
    assert_eq!(bench.base(elastic), [(1, 2)]);
    // A heterogeneous job keeps its base on training servers and its flexible workers on on-loan servers.
    assert_eq!(bench.base(mixing), [(0, 2)]);
    assert_eq!(bench.grow(mixing, v100, 2), 2);
    assert_eq!(bench.flexible(mixing), [(1, 2)]);
    bench.check();
}

#[test]
fn a_worker_goes_to_the_server_that_fits_it_best() {
    let (mut cluster, _) = plain(&[8, 8, 8, 8], &[]);
    occupy(&mut cluster, &[(0, 2), (1, 5), (2, 4)]);
    let three = cluster.add_job(Job::inelastic(1).gpus_per_worker(3)).unwrap();
    let four = cluster.add_job(Job::inelastic(1).gpus_per_worker(4)).unwrap();
    let seven = cluster.add_job(Job::inelastic(1).gpus_per_worker(7)).unwrap();
    let mut bench = Bench::new(cluster);
    assert!(bench.start(three) && bench.start(four) && bench.start(seven));
    assert_eq!((bench.base(three), bench.base(four)), (alloc::vec![(1, 1)], alloc::vec![(2, 1)]));
    // Only the empty server is left for 7.
    assert_eq!(bench.base(seven), [(3, 1)]);
    bench.check();
}

#[test]
fn ties_go_to_the_lowest_id_and_then_to_the_server_that_moved_last() {
    let (mut cluster, _) = plain(&[8, 8, 8, 8], &[]);
    let jobs: Vec<JobId> =
        [3, 3, 1].iter().map(|&g| cluster.add_job(Job::inelastic(1).gpus_per_worker(g)).unwrap()).collect();
    occupy(&mut cluster, &[(1, 3), (2, 3)]);
    let mut bench = Bench::new(cluster);
    assert!(bench.start(jobs[0]));
    assert_eq!(bench.base(jobs[0]), [(1, 1)]);
    assert!(bench.start(jobs[1]));
    assert_eq!(bench.base(jobs[1]), [(2, 1)]);
    // Servers 1 and 2 have 2 free each; server 2 moved last.
    assert!(bench.start(jobs[2]));
    assert_eq!(bench.base(jobs[2]), [(2, 1)]);
}

#[test]
fn a_gang_that_one_server_can_host_is_not_spread() {
    let (mut cluster, v100) = plain(&[8, 8, 8], &[8, 8]);
    occupy(&mut cluster, &[(0, 7), (1, 4), (2, 6)]);
    let gang = cluster.add_job(Job::inelastic(4)).unwrap();
    let wide = cluster.add_job(Job::elastic(2..=10)).unwrap();
    let mut bench = Bench::new(cluster);
    assert!(bench.start(gang) && bench.start(wide));
    assert_eq!(bench.base(gang), [(1, 4)]);
    assert_eq!(bench.base(wide), [(3, 2)]);
    assert_eq!(bench.grow(wide, v100, 3), 3);
    assert_eq!(bench.grow(wide, v100, 3), 3);
    // All flexible workers on one server, apart from the base workers.
    assert_eq!(bench.flexible(wide), [(4, 6)]);
    bench.check();
}

#[test]
fn four_and_four_free_is_no_room_for_a_worker_of_eight() {
    let (mut cluster, v100) = plain(&[8, 8], &[]);
    occupy(&mut cluster, &[(0, 4), (1, 4)]);
    let large = cluster.add_job(Job::inelastic(1).gpus_per_worker(8)).unwrap();
    let mut bench = Bench::new(cluster);
    assert_eq!((bench.placer.idle_gpus(v100), bench.placer.idle_slots(v100, 8)), (8, 0));
    let before = bench.occupancy.clone();
    assert!(!bench.start(large));
    assert_eq!(bench.occupancy, before);
}

#[test]
fn nobody_is_displaced_whose_gpus_do_not_form_a_place() {
    let (mut cluster, _) = plain(&[8, 8, 8], &[]);
    occupy(&mut cluster, &[(0, 4), (1, 4)]);
    elastic(&mut cluster, 0.0, 1, 2, &[(0, 4), (1, 4)]);
    occupy(&mut cluster, &[(2, 7)]);
    let large = cluster.add_job(Job::inelastic(1).gpus_per_worker(8)).unwrap();
    let mut bench = Bench::new(cluster);
    assert!(!bench.start(large));
    assert!(displaced(&bench).is_empty());
    bench.check();
}

#[test]
fn the_latest_job_makes_room_first_and_no_more_than_needed() {
    let (mut cluster, _) = plain(&[8, 8], &[]);
    let early = elastic(&mut cluster, 1.0, 1, 1, &[(0, 3)]);
    let late = elastic(&mut cluster, 2.0, 1, 1, &[(0, 2)]);
    let also_late = elastic(&mut cluster, 2.0, 1, 1, &[(0, 2)]);
    occupy(&mut cluster, &[(0, 1), (1, 5)]);
    let gang = cluster.add_job(Job::inelastic(1).gpus_per_worker(5)).unwrap();
    let mut bench = Bench::new(cluster);
    assert!(bench.start(gang));
    let expected = [(early.get(), 0, 1), (late.get(), 0, 2), (also_late.get(), 0, 2)];
    assert_eq!(displaced(&bench), expected);
    assert_eq!(bench.flexible(early), [(0, 2)]);
    assert!(bench.flexible(late).is_empty());
    assert_eq!(bench.base(late), [(1, 1)]);
    bench.check();
}

#[test]
fn a_worker_whose_gpus_turn_out_not_to_be_needed_stays() {
    let (mut cluster, _) = plain(&[8, 8], &[]);
    let early = elastic(&mut cluster, 1.0, 4, 1, &[(0, 1)]);
    let late = elastic(&mut cluster, 2.0, 1, 1, &[(0, 2)]);
    occupy(&mut cluster, &[(0, 2), (1, 3)]);
    let gang = cluster.add_job(Job::inelastic(1).gpus_per_worker(4)).unwrap();
    let mut bench = Bench::new(cluster);
    assert!(bench.start(gang));
    // 2 GPUs of the late job do not suffice, and with 4 of the early job they are not needed.
    assert_eq!(displaced(&bench), [(early.get(), 0, 1)]);
    assert_eq!(bench.flexible(late), [(0, 2)]);
    bench.check();
}

#[test]
fn base_and_flexible_workers_keep_apart_while_there_is_room() {
    let (mut cluster, v100) = plain(&[], &[8, 8, 8, 8]);
    let jobs: Vec<JobId> = (0..4).map(|_| cluster.add_job(Job::elastic(3..=7)).unwrap()).collect();
    let mut bench = Bench::new(cluster);
    for &job in &jobs {
        assert!(bench.start(job));
    }
    for &job in &jobs {
        assert_eq!(bench.grow(job, v100, 4), 4);
    }
    let servers = |bench: &Bench, role| -> Vec<u32> {
        let mut all: Vec<u32> =
            jobs.iter().flat_map(|&job| bench.places(job, role)).map(|place| place.0).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    assert_eq!(servers(&bench, Role::Base), [0, 1]);
    assert_eq!(servers(&bench, Role::Flexible), [2, 3]);
    bench.check();
}

#[test]
fn base_workers_begin_an_empty_server_rather_than_join_flexible_ones() {
    let (mut cluster, v100) = plain(&[], &[8, 8, 8]);
    let first = cluster.add_job(Job::elastic(8..=10)).unwrap();
    let second = cluster.add_job(Job::elastic(2..=3)).unwrap();
    let third = cluster.add_job(Job::elastic(8..=9)).unwrap();
    let mut bench = Bench::new(cluster);
    assert!(bench.start(first));
    assert_eq!(bench.grow(first, v100, 2), 2);
    assert!(bench.start(second));
    assert_eq!((bench.flexible(first), bench.base(second)), (alloc::vec![(1, 2)], alloc::vec![(2, 2)]));
    // Where nothing else is left, they join.
    assert!(bench.start(third));
    assert_eq!(bench.base(third), [(1, 2), (2, 6)]);
    bench.check();
}

#[test]
fn flexible_workers_gather_on_few_servers() {
    let (mut cluster, v100) = plain(&[], &[8, 8, 8, 8]);
    elastic(&mut cluster, 0.0, 1, 0, &[(3, 6)]);
    let job = cluster.add_job(Job::elastic(1..=3)).unwrap();
    let mut bench = Bench::new(cluster);
    assert!(bench.start(job));
    assert_eq!(bench.grow(job, v100, 2), 2);
    // Servers 1 and 2 are empty and stay so.
    assert_eq!((bench.base(job), bench.flexible(job)), (alloc::vec![(0, 1)], alloc::vec![(3, 2)]));
    bench.check();
}

#[test]
fn a_job_grows_where_it_has_flexible_workers_before_it_grows_elsewhere() {
    let (mut cluster, v100) = plain(&[], &[8, 8, 8]);
    let job = cluster.add_job(Job::elastic(1..=9)).unwrap();
    let server = ServerId::new;
    cluster.place(job, &[Placement::base(server(0), 1), Placement::flexible(server(1), 2)]).unwrap();
    elastic(&mut cluster, 0.0, 1, 0, &[(2, 6)]);
    let mut bench = Bench::new(cluster);
    // Server 2 fits the two better.
    assert_eq!(bench.grow(job, v100, 2), 2);
    assert_eq!(bench.flexible(job), [(1, 4)]);
    assert_eq!(bench.grow(job, v100, 9), 9);
    assert_eq!(bench.flexible(job), [(0, 3), (1, 8), (2, 2)]);
}

#[test]
fn shrinking_frees_whole_servers() {
    let (mut cluster, v100) = plain(&[], &[8, 8, 8, 8]);
    let job = elastic(&mut cluster, 0.0, 1, 0, &[(1, 3), (2, 2), (3, 2)]);
    let mut bench = Bench::new(cluster);
    assert_eq!(bench.shrink(job, v100, 3), 3);
    assert_eq!(bench.flexible(job), [(1, 3), (2, 1)]);
    assert_eq!(bench.shrink(job, v100, 9), 4);
    assert_eq!((bench.flexible(job), bench.base(job)), (alloc::vec![], alloc::vec![(0, 1)]));
    bench.check();
}

#[test]
fn three_t4_workers_stand_for_one_v100_worker() {
    let (mut cluster, _) = plain(&[8], &[]);
    let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3)).unwrap();
    for _ in 0..2 {
        cluster.add_server(Server::on_loan(t4, 8)).unwrap();
    }
    occupy(&mut cluster, &[(0, 6)]);
    let fungible = cluster.add_job(Job::inelastic(3).fungible()).unwrap();
    let reference = cluster.add_job(Job::inelastic(3)).unwrap();
    let mixing = cluster.add_job(Job::inelastic(4).fungible().heterogeneous()).unwrap();
    let mut bench = Bench::new(cluster);
    assert!(!bench.start(reference));
    assert!(bench.start(fungible));
    assert_eq!(bench.base(fungible), [(1, 8), (2, 1)]);
    // 2 on V100, and 2 more on 6 of the 7 idle T4.
    assert!(bench.start(mixing));
    assert_eq!(bench.base(mixing), [(0, 2), (2, 6)]);
    assert_eq!(bench.grow(fungible, t4, 5), 1);
    assert_eq!(bench.grow(fungible, GpuTypeId::new(0), 1), 0);
    let tally: Tally = bench.cluster.inventory().tally(bench.occupancy.placements(mixing));
    assert!(tally.is_just(4));
}

#[test]
fn a_gang_that_fits_on_neither_side_is_spread_from_the_preferred_one() {
    let (mut cluster, _) = plain(&[8], &[8]);
    let inelastic = cluster.add_job(Job::inelastic(10)).unwrap();
    let elastic = cluster.add_job(Job::elastic(10..=11)).unwrap();
    let both = [inelastic, elastic].map(|job| {
        let mut bench = Bench::new(cluster.clone());
        assert!(bench.start(job));
        bench.base(job)
    });
    assert_eq!(both, [[(0, 8), (1, 2)], [(0, 2), (1, 8)]]);
}

#[test]
fn one_side_with_displacement_goes_before_both_sides_without() {
    let (mut cluster, _) = plain(&[8, 8], &[4]);
    let other = elastic(&mut cluster, 0.0, 1, 1, &[(0, 4)]);
    occupy(&mut cluster, &[(1, 7)]);
    let small = cluster.add_job(Job::inelastic(4)).unwrap();
    let gang = cluster.add_job(Job::inelastic(6)).unwrap();
    let mut bench = Bench::new(cluster.clone());
    // Where one side is free, nobody leaves.
    assert!(bench.start(small));
    assert_eq!((bench.base(small), displaced(&bench).len()), (alloc::vec![(0, 4)], 0));
    let mut bench = Bench::new(cluster);
    assert!(bench.start(gang));
    assert_eq!(
        (bench.base(gang), displaced(&bench)),
        (alloc::vec![(0, 6)], alloc::vec![(other.get(), 0, 2)])
    );
    bench.check();
}

#[test]
fn a_mixed_gang_stays_on_training_servers_where_they_hold_it() {
    let (mut cluster, v100) = plain(&[2], &[2]);
    let other = cluster.add_gpu_type(GpuType::new("P100")).unwrap();
    cluster.add_server(Server::training(other, 3)).unwrap();
    let job = |workers| Job::inelastic(workers).on([other, v100]).heterogeneous();
    let (five, six) = (cluster.add_job(job(5)).unwrap(), cluster.add_job(job(6)).unwrap());
    let eight = cluster.add_job(job(8)).unwrap();
    let both = [five, six].map(|job| {
        let mut bench = Bench::new(cluster.clone());
        assert!(bench.start(job));
        bench.check();
        bench.base(job)
    });
    assert_eq!(both[0], [(0, 2), (2, 3)]);
    assert_eq!(both[1], [(0, 2), (1, 2), (2, 2)]);
    assert!(!Bench::new(cluster).start(eight));
}

#[test]
fn a_mixed_gang_takes_types_with_training_servers_before_faster_ones_without() {
    let (mut cluster, v100) = plain(&[8], &[]);
    let a100 = cluster.add_gpu_type(GpuType::new("A100").speed(2, 1)).unwrap();
    cluster.add_server(Server::on_loan(a100, 2)).unwrap();
    let job = cluster.add_job(Job::inelastic(9).on([v100, a100]).heterogeneous()).unwrap();
    let mut bench = Bench::new(cluster);
    assert!(bench.start(job));
    // The one that misses is half of what a worker on A100 does: the gang overshoots by less than a worker.
    assert_eq!(bench.base(job), [(0, 8), (1, 1)]);
    bench.check();
}

#[test]
fn types_are_tried_from_fast_to_slow_then_by_id() {
    let (mut cluster, v100) = plain(&[8], &[]);
    let k80 = cluster.add_gpu_type(GpuType::new("K80").speed(1, 2)).unwrap();
    let a100 = cluster.add_gpu_type(GpuType::new("A100").speed(2, 1)).unwrap();
    let h100 = cluster.add_gpu_type(GpuType::new("other A100").speed(4, 2)).unwrap();
    cluster.add_gpu_type(GpuType::new("no server").speed(9, 1)).unwrap();
    for gpu_type in [k80, h100, a100] {
        cluster.add_server(Server::training(gpu_type, 8)).unwrap();
    }
    let any = cluster.add_job(Job::inelastic(3).fungible()).unwrap();
    let listed = cluster.add_job(Job::inelastic(3).on([k80, v100, h100, k80, v100])).unwrap();
    let mut bench = Bench::new(cluster);
    assert!(bench.start(any) && bench.start(listed));
    assert_eq!(bench.base(any), [(3, 2)]);
    assert_eq!(bench.base(listed), [(2, 2)]);
}

#[test]
fn growing_a_job_that_waits_or_does_not_allow_the_type_places_nothing() {
    let (mut cluster, v100) = plain(&[8], &[]);
    let t4 = cluster.add_gpu_type(GpuType::new("T4")).unwrap();
    cluster.add_server(Server::training(t4, 8)).unwrap();
    let job = cluster.add_job(Job::elastic(1..=4)).unwrap();
    let mut bench = Bench::new(cluster);
    assert_eq!(bench.grow(job, v100, 1), 0);
    assert_eq!(bench.shrink(job, v100, 1), 0);
    assert!(bench.start(job));
    assert!(!bench.start(job));
    assert_eq!(bench.grow(job, t4, 1), 0);
    assert!(!bench.start(JobId::new(9)));
    assert_eq!(bench.grow(JobId::new(9), v100, 1), 0);
}

#[test]
fn the_work_for_a_worker_does_not_grow_with_the_cluster() {
    let work = |servers: u32| -> f64 {
        let (mut cluster, v100) = plain(&alloc::vec![8; servers as usize], &[]);
        let gangs = servers * 3 / 2;
        for gang in 0..gangs {
            cluster.add_job(Job::elastic(1..=2).gpus_per_worker(1 + gang % 4)).unwrap();
        }
        let mut bench = Bench::new(cluster);
        let steps = |bench: &Bench| bench.placer.idle.steps + bench.placer.reachable.steps;
        let before = steps(&bench);
        let mut workers = 0;
        for gang in (0..gangs).map(JobId::new) {
            if bench.start(gang) {
                workers += 1 + bench.grow(gang, v100, 1);
            }
        }
        assert!(workers > servers);
        (steps(&bench) - before) as f64 / f64::from(workers)
    };
    let (small, large) = (work(100), work(10_000));
    assert!(large < small * 1.1 && large < 16.0, "{small} and {large} steps a worker");
}

#[test]
fn a_server_that_changes_its_pool_in_the_epoch_counts_in_the_new_pool() {
    let (mut cluster, v100) = plain(&[8], &[8]);
    cluster.add_server(Server::inference(v100, 4)).unwrap();
    let mut bench = Bench::new(cluster);
    assert_eq!(bench.placer.idle_gpus(v100), 16);
    let pools = [Pool::Training, Pool::Inference, Pool::OnLoan];
    bench.placer.rebuild(bench.cluster.inventory(), &bench.occupancy, &pools);
    assert_eq!(bench.placer.idle_gpus(v100), 12);
    assert_eq!(bench.placer_slots(v100, &[Pool::OnLoan], 4), 1);
    assert_eq!(bench.placer_slots(v100, &[Pool::OnLoan], 8), 0);
    assert_eq!(bench.placer_slots(v100, &[Pool::Inference], 1), 0);
    // A list that is too short leaves the rest to inference.
    bench.placer.rebuild(bench.cluster.inventory(), &bench.occupancy, &pools[..1]);
    assert_eq!(bench.placer.idle_gpus(v100), 8);
}

#[test]
fn refresh_takes_up_changes_by_another_hand() {
    let (mut cluster, v100) = plain(&[8], &[]);
    let job = occupy(&mut cluster, &[(0, 8)]);
    let mut bench = Bench::new(cluster);
    assert_eq!(bench.placer.idle_gpus(v100), 0);
    bench.occupancy.release(job, 1);
    bench.placer.refresh(bench.cluster.inventory(), &bench.occupancy, ServerId::new(0));
    assert_eq!(bench.placer.idle_gpus(v100), 8);
    bench.check();
}
