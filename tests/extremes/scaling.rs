//! Scaling curves at the edges.

use aryl::scaling::{MeasuredTable, MeasuredTableError, Scaling, ScalingCurve, ScalingError};

const MOST: u32 = u32::MAX;

/// Relative difference of two numbers.
#[track_caller]
fn near(value: f64, right: f64) {
    assert!((value / right - 1.0).abs() < 1e-12, "{value}, and right is {right}");
}

#[test]
fn from_one_worker_to_2_to_the_32_less_1_and_back() {
    let most = f64::from(MOST);
    let curves = [
        (ScalingCurve::Linear, most),
        (ScalingCurve::PowerLaw { exponent: 0.5 }, libm::sqrt(most)),
        (ScalingCurve::Amdahl { serial: 0.5 }, 2.0 / (1.0 + 1.0 / most)),
        (ScalingCurve::LossPerAddedWorker { loss: 0.5 }, 0.5 * (most + 1.0)),
        (ScalingCurve::Measured(MeasuredTable::new([(1, 3.0), (MOST, 12.0)]).unwrap()), 4.0),
    ];
    for (curve, speedup) in curves {
        near(curve.speedup(1, MOST), speedup);
        near(curve.speedup(MOST, MOST), 1.0);
        near(curve.speedup(0, 0), 1.0);
        // What is gained on the way up is lost on the way down; the loss for each added worker counts from the base.
        if !matches!(curve, ScalingCurve::LossPerAddedWorker { .. }) {
            near(curve.speedup(MOST, 1), 1.0 / speedup);
        }
    }
}

#[test]
fn parameters_below_all_normal_numbers() {
    for tiny in [f64::from_bits(1), 1e-310, 1e-300] {
        let curve = ScalingCurve::PowerLaw { exponent: tiny };
        assert_eq!((curve.check(), curve.speedup(1, MOST)), (Ok(()), 1.0));
        let curve = ScalingCurve::Amdahl { serial: tiny };
        assert_eq!(curve.check(), Ok(()));
        near(curve.speedup(1, MOST), f64::from(MOST));
        let curve = ScalingCurve::LossPerAddedWorker { loss: tiny };
        assert_eq!((curve.check(), curve.speedup(1, MOST)), (Ok(()), f64::from(MOST)));
        let exponent = -tiny;
        assert_eq!(ScalingCurve::PowerLaw { exponent }.check(), Err(ScalingError::Exponent { exponent }));
    }
    for huge in [1e300, f64::MAX, f64::INFINITY] {
        assert_eq!(
            ScalingCurve::PowerLaw { exponent: huge }.check(),
            Err(ScalingError::Exponent { exponent: huge })
        );
        assert_eq!(ScalingCurve::Amdahl { serial: huge }.check(), Err(ScalingError::Serial { serial: huge }));
        let curve = ScalingCurve::LossPerAddedWorker { loss: huge };
        assert_eq!(curve.check(), Err(ScalingError::Loss { loss: huge }));
    }
}

#[test]
fn throughputs_at_1e_minus_300_and_1e300() {
    for unit in [1e-300, 1e-200, 1.0, 1e300] {
        let table = MeasuredTable::new([(1, unit), (2, 1.5 * unit), (5, 3.0 * unit)]).unwrap();
        let curve = ScalingCurve::Measured(table);
        near(curve.speedup(1, 2), 1.5);
        near(curve.speedup(1, 3), 2.0);
        near(curve.speedup(2, MOST), 2.0);
    }
    // Below all normal numbers two and one are still two to one.
    let table = MeasuredTable::new([(1, f64::from_bits(1)), (2, f64::from_bits(2))]).unwrap();
    assert_eq!(ScalingCurve::Measured(table).speedup(1, 2), 2.0);
    for (points, workers, throughput) in [
        ([(1, 1e-300), (2, 1e300)], 2, 1e300),
        ([(1, 1e300), (2, 1e-300)], 2, 1e-300),
        ([(1, 1.0), (2, f64::INFINITY)], 2, f64::INFINITY),
        ([(1, 1.0), (2, -1e-300)], 2, -1e-300),
        ([(1, 0.0), (2, 1.0)], 1, 0.0),
        // A thousandth of the smallest number is nothing.
        ([(1_000, f64::from_bits(1)), (2_000, 1.0)], 1_000, f64::from_bits(1)),
    ] {
        assert_eq!(MeasuredTable::new(points), Err(MeasuredTableError::Throughput { workers, throughput }));
    }
}

#[test]
fn tables_of_one_point_and_of_ten_thousand_equal_ones() {
    let one = MeasuredTable::new([(MOST, 8.0)]).unwrap();
    assert_eq!(
        (one.throughput(MOST), one.throughput(MOST / 2 + 1)),
        (8.0, 8.0 * (f64::from(MOST / 2 + 1) / f64::from(MOST)))
    );
    let flat = MeasuredTable::new((1..=10_000).map(|workers| (workers, 5.0))).unwrap();
    for workers in [0, 1, 9_999, 10_000, MOST] {
        assert_eq!(flat.throughput(workers), 5.0);
    }
    assert_eq!(ScalingCurve::sampled(&ScalingCurve::Linear, 0), Err(MeasuredTableError::Empty));
    let error = MeasuredTableError::NotAscending { previous: MOST, workers: MOST };
    assert_eq!(MeasuredTable::new([(MOST, 1.0), (MOST, 1.0)]), Err(error));
}
