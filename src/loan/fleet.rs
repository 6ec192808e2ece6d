//! The input of a decision: the fleet and the demand on it.

use core::fmt;

use super::{LoanError, millionths};

/// The inference servers: how many there are, how many are lent, and how many of those are on their way back.
///
/// All servers of a fleet have the same number of GPUs. A server is *lent* from the moment it is handed to training
/// until it is back in inference's hands. Between the decision that asks for it and its return it is lent and
/// *returning*: its jobs are being scaled in or stopped. A returning server is not asked for twice, and is not spare until
/// it is home. A caller for whom servers come back at once leaves `returning` at 0.
///
/// # Examples
///
/// ```
/// use aryl::loan::{Fleet, LoanError};
///
/// let fleet = Fleet::new(104, 8)?.with_lent(30)?.with_returning(4)?;
/// assert_eq!(fleet.home(), 74);
/// assert_eq!(fleet.gpus(), 832);
/// assert_eq!(fleet.with_lent(105), Err(LoanError::LentAboveServers { lent: 105, servers: 104 }));
/// # Ok::<(), LoanError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "FleetForm", into = "FleetForm")
)]
pub struct Fleet {
    servers: u32,
    gpus_per_server: u32,
    lent: u32,
    returning: u32,
}

impl Fleet {
    /// A fleet of so many servers of so many GPUs each, all of them at home.
    ///
    /// # Errors
    ///
    /// [`LoanError::NoServers`] and [`LoanError::NoGpus`] where one of the two is 0.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Fleet, LoanError};
    ///
    /// let fleet = Fleet::new(104, 8)?;
    /// assert_eq!((fleet.home(), fleet.gpus()), (104, 832));
    /// assert_eq!(Fleet::new(104, 0), Err(LoanError::NoGpus { servers: 104 }));
    /// # Ok::<(), LoanError>(())
    /// ```
    pub const fn new(servers: u32, gpus_per_server: u32) -> Result<Self, LoanError> {
        if servers == 0 {
            return Err(LoanError::NoServers { gpus_per_server });
        }
        if gpus_per_server == 0 {
            return Err(LoanError::NoGpus { servers });
        }
        Ok(Self { servers, gpus_per_server, lent: 0, returning: 0 })
    }

    /// The same fleet with so many servers on loan, the returning ones included.
    ///
    /// # Errors
    ///
    /// [`LoanError::LentAboveServers`] where the fleet has fewer servers, [`LoanError::ReturningAboveLent`] where more
    /// than `lent` are returning.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Fleet, LoanError};
    ///
    /// let fleet = Fleet::new(104, 8)?.with_lent(30)?.with_returning(4)?;
    /// assert_eq!(fleet.home(), 74);
    /// // Those 4 came home: first they are no longer returning, then no longer lent.
    /// assert_eq!(fleet.with_returning(0)?.with_lent(26)?.home(), 78);
    /// assert_eq!(fleet.with_lent(3), Err(LoanError::ReturningAboveLent { returning: 4, lent: 3 }));
    /// # Ok::<(), LoanError>(())
    /// ```
    pub const fn with_lent(self, lent: u32) -> Result<Self, LoanError> {
        if lent > self.servers {
            return Err(LoanError::LentAboveServers { lent, servers: self.servers });
        }
        if self.returning > lent {
            return Err(LoanError::ReturningAboveLent { returning: self.returning, lent });
        }
        Ok(Self { lent, ..self })
    }

    /// The same fleet with so many of the lent servers asked back already and not yet home.
    ///
    /// # Errors
    ///
    /// [`LoanError::ReturningAboveLent`] where fewer are lent.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Fleet, LoanError};
    ///
    /// let fleet = Fleet::new(104, 8)?.with_lent(30)?.with_returning(4)?;
    /// assert_eq!((fleet.lent(), fleet.returning()), (30, 4)); // a returning server is still lent
    /// assert_eq!(fleet.with_returning(31), Err(LoanError::ReturningAboveLent { returning: 31, lent: 30 }));
    /// # Ok::<(), LoanError>(())
    /// ```
    pub const fn with_returning(self, returning: u32) -> Result<Self, LoanError> {
        if returning > self.lent {
            return Err(LoanError::ReturningAboveLent { returning, lent: self.lent });
        }
        Ok(Self { returning, ..self })
    }

    /// All servers, at home or lent.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::Fleet;
    ///
    /// assert_eq!(Fleet::new(104, 8)?.with_lent(30)?.servers(), 104);
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub const fn servers(&self) -> u32 {
        self.servers
    }

    /// GPUs on each server.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::Fleet;
    ///
    /// assert_eq!(Fleet::new(104, 8)?.gpus_per_server(), 8);
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub const fn gpus_per_server(&self) -> u32 {
        self.gpus_per_server
    }

    /// Servers on loan, the returning ones included.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::Fleet;
    ///
    /// assert_eq!(Fleet::new(104, 8)?.with_lent(30)?.with_returning(4)?.lent(), 30);
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub const fn lent(&self) -> u32 {
        self.lent
    }

    /// Servers asked back already and not yet home.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::Fleet;
    ///
    /// assert_eq!(Fleet::new(104, 8)?.with_lent(30)?.with_returning(4)?.returning(), 4);
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub const fn returning(&self) -> u32 {
        self.returning
    }

    /// Servers that inference can use now: those not lent.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::Fleet;
    ///
    /// // A server on its way back is not home yet.
    /// assert_eq!(Fleet::new(104, 8)?.with_lent(30)?.with_returning(4)?.home(), 74);
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub const fn home(&self) -> u32 {
        self.servers - self.lent
    }

    /// GPUs of the whole fleet.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::Fleet;
    ///
    /// assert_eq!(Fleet::new(104, 8)?.with_lent(30)?.gpus(), 832); // lent or not
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub const fn gpus(&self) -> u64 {
        self.servers as u64 * self.gpus_per_server as u64
    }

    /// The servers that so many GPUs fill, rounded up.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::Fleet;
    ///
    /// assert_eq!(Fleet::new(104, 8)?.servers_for(300), 38); // 37.5, rounded up
    /// # Ok::<(), aryl::loan::LoanError>(())
    /// ```
    #[must_use]
    pub const fn servers_for(&self, gpus: u64) -> u64 {
        gpus.div_ceil(self.gpus_per_server as u64)
    }
}

impl fmt::Display for Fleet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { servers, gpus_per_server, lent, returning } = self;
        write!(
            f,
            "{servers} servers of {gpus_per_server} GPUs, {lent} of them lent and {returning} returning"
        )
    }
}

/// The GPUs that inference needs: now, and at the time of the next decision.
///
/// A decision looks at the larger of the two. Any two numbers are valid, even above the whole fleet. The forecast is
/// the caller's: [`SeasonalNaive`](super::SeasonalNaive) is one way to get it.
///
/// # Examples
///
/// ```
/// use aryl::loan::{Demand, Fleet};
///
/// let fleet = Fleet::new(104, 8)?;
/// assert_eq!(Demand { now: 300, forecast: 320 }.peak(), 320);
/// assert_eq!(Demand::now(300), Demand { now: 300, forecast: 300 });
/// assert_eq!(Demand::from_servers(37, 40, &fleet)?, Demand { now: 296, forecast: 320 });
/// assert_eq!(Demand::from_load(0.5, 0.25, &fleet)?, Demand { now: 416, forecast: 208 });
/// # Ok::<(), aryl::loan::LoanError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Demand {
    /// GPUs needed now.
    pub now: u64,
    /// GPUs forecast for the next decision.
    pub forecast: u64,
}

impl Demand {
    /// The demand of so many GPUs, forecast to stay.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::Demand;
    ///
    /// assert_eq!(Demand::now(300), Demand { now: 300, forecast: 300 });
    /// ```
    #[must_use]
    pub const fn now(gpus: u64) -> Self {
        Self { now: gpus, forecast: gpus }
    }

    /// The demand of so many whole servers of this fleet.
    ///
    /// # Errors
    ///
    /// [`LoanError::DemandOverflow`] where that is more than 2^64 − 1 GPUs.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Demand, Fleet, LoanError};
    ///
    /// let fleet = Fleet::new(104, 8)?;
    /// assert_eq!(Demand::from_servers(37, 40, &fleet)?, Demand { now: 296, forecast: 320 });
    /// let servers = u64::MAX / 8 + 1;
    /// let refused = LoanError::DemandOverflow { servers, gpus_per_server: 8 };
    /// assert_eq!(Demand::from_servers(0, servers, &fleet), Err(refused));
    /// # Ok::<(), LoanError>(())
    /// ```
    pub const fn from_servers(now: u64, forecast: u64, fleet: &Fleet) -> Result<Self, LoanError> {
        let gpus_per_server = fleet.gpus_per_server;
        match (now.checked_mul(gpus_per_server as u64), forecast.checked_mul(gpus_per_server as u64)) {
            (Some(now), Some(forecast)) => Ok(Self { now, forecast }),
            (None, _) => Err(LoanError::DemandOverflow { servers: now, gpus_per_server }),
            (_, None) => Err(LoanError::DemandOverflow { servers: forecast, gpus_per_server }),
        }
    }

    /// The demand as a share of all GPUs of this fleet: 1 is the whole fleet, and more is allowed.
    ///
    /// The load is taken to the nearest millionth, then the GPUs are rounded up, in integers. So a load of 0.07 on 100
    /// GPUs is 7 GPUs and not 8.
    ///
    /// # Errors
    ///
    /// [`LoanError::Load`] where a load is not a number, negative, infinite, or so large that the GPUs can't be
    /// counted: above 2^53 millionths, or 2^64 − 1 GPUs.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::{Demand, Fleet, LoanError};
    ///
    /// let fleet = Fleet::new(25, 4)?;
    /// assert_eq!(Demand::from_load(0.07, 1.2, &fleet)?, Demand { now: 7, forecast: 120 });
    /// assert_eq!(Demand::from_load(-0.5, 0.0, &fleet), Err(LoanError::Load { load: -0.5 }));
    /// # Ok::<(), LoanError>(())
    /// ```
    pub fn from_load(now: f64, forecast: f64, fleet: &Fleet) -> Result<Self, LoanError> {
        let gpus = |load| {
            millionths::from_share(load)
                .and_then(|share| millionths::of(share, fleet.gpus()))
                .ok_or(LoanError::Load { load })
        };
        Ok(Self { now: gpus(now)?, forecast: gpus(forecast)? })
    }

    /// The larger of the two, in GPUs: what the decision has to provide for.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::loan::Demand;
    ///
    /// assert_eq!(Demand { now: 300, forecast: 280 }.peak(), 300); // a fall that is only forecast lends nothing
    /// assert_eq!(Demand { now: 300, forecast: 320 }.peak(), 320);
    /// ```
    #[must_use]
    pub const fn peak(&self) -> u64 {
        if self.forecast > self.now { self.forecast } else { self.now }
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct FleetForm {
    servers: u32,
    gpus_per_server: u32,
    #[serde(default)]
    lent: u32,
    #[serde(default)]
    returning: u32,
}

#[cfg(feature = "serde")]
impl From<Fleet> for FleetForm {
    fn from(fleet: Fleet) -> Self {
        let Fleet { servers, gpus_per_server, lent, returning } = fleet;
        Self { servers, gpus_per_server, lent, returning }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<FleetForm> for Fleet {
    type Error = LoanError;

    fn try_from(form: FleetForm) -> Result<Self, LoanError> {
        Self::new(form.servers, form.gpus_per_server)?.with_lent(form.lent)?.with_returning(form.returning)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn each_wrong_fleet_names_its_numbers() {
        let fleet = Fleet::new(10, 8).unwrap().with_lent(6).unwrap().with_returning(5).unwrap();
        let cases = [
            (Fleet::new(0, 8), "the fleet has 0 servers of 8 GPUs; at least 1 server is required"),
            (Fleet::new(10, 0), "the fleet has 10 servers of 0 GPUs; at least 1 GPU a server is required"),
            (fleet.with_lent(11), "11 servers are lent, but the fleet has 10"),
            (fleet.with_returning(7), "7 servers are returning, but 6 are lent"),
            (fleet.with_lent(4), "5 servers are returning, but 4 are lent"),
        ];
        for (result, text) in cases {
            assert_eq!(result.unwrap_err().to_string(), text);
        }
        assert_eq!(fleet.with_lent(10).unwrap().home(), 0);
    }

    #[test]
    fn the_largest_numbers_do_not_overflow() {
        let fleet = Fleet::new(u32::MAX, u32::MAX).unwrap().with_lent(u32::MAX).unwrap();
        assert_eq!(fleet.gpus(), u64::from(u32::MAX) * u64::from(u32::MAX));
        assert_eq!(fleet.servers_for(u64::MAX), u64::from(u32::MAX) + 2);
        assert_eq!(Fleet::new(1, 1).unwrap().servers_for(u64::MAX), u64::MAX);
        for (now, forecast) in [(1 << 32, 1 << 33), (1, 1 << 33)] {
            let overflow = LoanError::DemandOverflow { servers: now.max(1 << 33), gpus_per_server: u32::MAX };
            let got = Demand::from_servers(now, forecast, &fleet);
            assert_eq!(got, Err(overflow), "{now} {forecast}");
        }
        for bad in [f64::NAN, -0.1, f64::INFINITY, 1e9] {
            assert!(matches!(Demand::from_load(bad, 0.0, &fleet), Err(LoanError::Load { .. })), "{bad}");
            assert!(matches!(Demand::from_load(0.0, bad, &fleet), Err(LoanError::Load { .. })), "{bad}");
        }
    }

    #[test]
    fn a_load_rounds_up_without_float_noise() {
        let fleet = Fleet::new(25, 4).unwrap();
        for percent in 0..=300u64 {
            let demand = Demand::from_load(percent as f64 / 100.0, percent as f64 * 0.01, &fleet).unwrap();
            assert_eq!(demand, Demand::now(percent));
        }
        assert_eq!(Demand::from_load(0.010_001, 0.0, &fleet).unwrap().now, 2);
    }
}
