//! What is asked back: how much, of what, and which servers must or must not be among it.

use alloc::borrow::Cow;
use core::fmt;

use super::costs::Costs;
use crate::id::{GpuTypeId, ServerId};

/// How much is asked back.
///
/// # Examples
///
/// ```
/// use aryl::reclaim::{Ask, Quantity};
///
/// assert_eq!(Quantity::Gpus(64).to_string(), "servers with 64 GPUs");
/// assert_eq!(Ask::by_type(vec![]).to_string(), "nothing");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Quantity {
    /// Exactly this many servers.
    Servers(u32),
    /// Servers with this many GPUs or more, and no server that is not needed for it.
    Gpus(u64),
}

/// How much is asked back, of which GPU types.
///
/// # Examples
///
/// ```
/// use aryl::id::GpuTypeId;
/// use aryl::reclaim::{Amount, Ask, Quantity};
///
/// let t4 = GpuTypeId::new(1);
/// let ask = Ask::servers_of(t4, 2);
/// assert!(matches!(ask.amount(), Amount::ByType(each) if each[..] == [(t4, Quantity::Servers(2))]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Amount<'a> {
    /// Of any type.
    Any(Quantity),
    /// Of each of these types as much as it says, and nothing of any other.
    ByType(Cow<'a, [(GpuTypeId, Quantity)]>),
    /// The servers that must go back, and no others.
    Listed,
}

/// What the inference side asks back.
///
/// In the simplest case it is a number of servers, and a plain `u32` will do wherever an ask is expected. All else is
/// added to it:
///
/// | wanted | written |
/// |---|---|
/// | 2 servers | `2`, or `Ask::servers(2)` |
/// | servers with 64 GPUs | `Ask::gpus(64)` |
/// | 2 servers of one type | `Ask::servers_of(t4, 2)` |
/// | something of several types | `Ask::by_type(&[(t4, Quantity::Servers(2)), (v100, Quantity::Gpus(16))])` |
/// | these servers, whatever it costs | `Ask::these(&[server])` |
/// | 3 servers, these among them | `Ask::servers(3).must_return(&[server])` |
/// | 3 servers, not these | `Ask::servers(3).must_stay(&[server])` |
/// | by another cost of preemption | `Ask::servers(3).costs(CostModel::Jobs)` |
///
/// The lists are borrowed or owned, as you like. Their order does not matter, and a server that is named twice is named.
///
/// # A number of GPUs
///
/// A choice of servers answers an ask for G GPUs where together they have G or more, and would have fewer without any one
/// of them (servers that must go back aside). Among these choices the order of objectives is the same as for a number of
/// servers. Where all servers that may go back are of one size, g GPUs, this *is* an ask for ⌈G ÷ g⌉ servers. Where
/// sizes differ, the number of servers is part of the choice: two small servers may be cheaper than a large one. The
/// [bound](super::Reclaim::certificate) then holds for all these choices too.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
/// use aryl::reclaim::{Ask, Quantity, Reclaimer};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3))?;
/// let large = cluster.add_server(Server::on_loan(v100, 8))?;
/// let small = [cluster.add_server(Server::on_loan(t4, 4))?, cluster.add_server(Server::on_loan(t4, 4))?];
/// let job = cluster.add_job(Job::inelastic(1).fungible())?;
/// cluster.place(job, &[Placement::base(small[0], 3)])?;
///
/// let reclaimer = Reclaimer::default();
/// // The idle server of 8 GPUs is enough for 6; of the two small ones, one hosts a job.
/// assert_eq!(reclaimer.solve(&cluster, Ask::gpus(6))?.servers(), [large]);
/// assert_eq!(reclaimer.solve(&cluster, Ask::gpus_of(t4, 6))?.servers(), small);
/// assert_eq!(reclaimer.solve(&cluster, Ask::servers_of(t4, 1))?.servers(), [small[1]]);
/// assert_eq!(reclaimer.solve(&cluster, Ask::servers(1).must_stay(&[large]))?.servers(), [small[1]]);
/// assert_eq!(reclaimer.solve(&cluster, Ask::these(&[small[0]]))?.preempted(), [job]);
/// let each = [(v100, Quantity::Servers(1)), (t4, Quantity::Gpus(4))];
/// assert_eq!(reclaimer.solve(&cluster, Ask::by_type(&each))?.servers(), [large, small[1]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ask<'a> {
    pub(crate) amount: Amount<'a>,
    pub(crate) must_return: Cow<'a, [ServerId]>,
    pub(crate) must_stay: Cow<'a, [ServerId]>,
    pub(crate) costs: Costs<'a>,
}

impl<'a> Ask<'a> {
    /// Nothing is asked back.
    pub const NOTHING: Ask<'static> = Ask::servers(0);

    /// This many servers, of any type.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Server};
    /// use aryl::reclaim::{Ask, Reclaimer};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3))?;
    /// let large = cluster.add_server(Server::on_loan(v100, 8))?;
    /// let small = [cluster.add_server(Server::on_loan(t4, 4))?, cluster.add_server(Server::on_loan(t4, 4))?];
    /// let two = Reclaimer::default().solve(&cluster, Ask::servers(2))?;
    /// assert_eq!(two.servers(), [large, small[0]]); // all are idle: the lowest ids
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn servers(number: u32) -> Self {
        Self::new(Amount::Any(Quantity::Servers(number)))
    }

    /// Servers with this many GPUs or more, of any type, and no server that is not needed for it.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Server};
    /// use aryl::reclaim::{Ask, Reclaimer};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3))?;
    /// let large = cluster.add_server(Server::on_loan(v100, 8))?;
    /// let small = [cluster.add_server(Server::on_loan(t4, 4))?, cluster.add_server(Server::on_loan(t4, 4))?];
    /// let servers = |gpus| Reclaimer::default().solve(&cluster, Ask::gpus(gpus)).map(|answer| answer.servers().len());
    /// assert_eq!(servers(8)?, 1); // the large one
    /// assert_eq!(servers(9)?, 2); // and a small one
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn gpus(number: u64) -> Self {
        Self::new(Amount::Any(Quantity::Gpus(number)))
    }

    /// This many servers of one GPU type.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Server};
    /// use aryl::reclaim::{Ask, Reclaimer};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3))?;
    /// let large = cluster.add_server(Server::on_loan(v100, 8))?;
    /// let small = [cluster.add_server(Server::on_loan(t4, 4))?, cluster.add_server(Server::on_loan(t4, 4))?];
    /// assert_eq!(Reclaimer::default().solve(&cluster, Ask::servers_of(t4, 1))?.servers(), [small[0]]);
    /// assert!(Reclaimer::default().solve(&cluster, Ask::servers_of(t4, 3)).is_err()); // there are two
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn servers_of(gpu_type: GpuTypeId, number: u32) -> Self {
        Self::new(Amount::ByType(Cow::Owned([(gpu_type, Quantity::Servers(number))].into())))
    }

    /// Servers of one GPU type, with this many GPUs or more, and no server that is not needed for it.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Server};
    /// use aryl::reclaim::{Ask, Reclaimer};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3))?;
    /// let large = cluster.add_server(Server::on_loan(v100, 8))?;
    /// let small = [cluster.add_server(Server::on_loan(t4, 4))?, cluster.add_server(Server::on_loan(t4, 4))?];
    /// assert_eq!(Reclaimer::default().solve(&cluster, Ask::gpus_of(t4, 4))?.servers(), [small[0]]);
    /// assert_eq!(Reclaimer::default().solve(&cluster, Ask::gpus_of(t4, 5))?.servers(), small);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn gpus_of(gpu_type: GpuTypeId, number: u64) -> Self {
        Self::new(Amount::ByType(Cow::Owned([(gpu_type, Quantity::Gpus(number))].into())))
    }

    /// So much of each of these types, and nothing of any other. A type that is named twice is an
    /// [error](super::AskError::GpuTypeTwice) when the ask is read.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Server};
    /// use aryl::reclaim::{Ask, Quantity, Reclaimer};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let t4 = cluster.add_gpu_type(GpuType::new("T4").speed(1, 3))?;
    /// let large = cluster.add_server(Server::on_loan(v100, 8))?;
    /// let small = [cluster.add_server(Server::on_loan(t4, 4))?, cluster.add_server(Server::on_loan(t4, 4))?];
    /// let each = [(v100, Quantity::Servers(1)), (t4, Quantity::Gpus(8))];
    /// let answer = Reclaimer::default().solve(&cluster, Ask::by_type(&each))?;
    /// assert_eq!(answer.servers(), [large, small[0], small[1]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn by_type(amounts: impl Into<Cow<'a, [(GpuTypeId, Quantity)]>>) -> Self {
        Self::new(Amount::ByType(amounts.into()))
    }

    /// These servers and no others: what would it cost to give them back?
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{Ask, Reclaimer};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let mut server = || cluster.add_server(Server::on_loan(v100, 8));
    /// # let (first, second, third) = (server()?, server()?, server()?);
    /// // A job has 6 GPUs on each of two servers, another that is dear has 2 on the third.
    /// let wide = cluster.add_job(Job::inelastic(12))?;
    /// cluster.place(wide, &[Placement::base(first, 6), Placement::base(second, 6)])?;
    /// let dear = cluster.add_job(Job::inelastic(2).preemption_cost(5))?;
    /// cluster.place(dear, &[Placement::base(third, 2)])?;
    /// // The third server costs 5, and an idle one would cost nothing: but this one is asked for.
    /// let answer = Reclaimer::default().solve(&cluster, Ask::these(&[third]))?;
    /// assert_eq!((answer.preempted(), answer.certificate().objective()), (&[dear][..], 5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn these(servers: impl Into<Cow<'a, [ServerId]>>) -> Self {
        Self::new(Amount::Listed).must_return(servers)
    }

    const fn new(amount: Amount<'a>) -> Self {
        Self { amount, must_return: Cow::Borrowed(&[]), must_stay: Cow::Borrowed(&[]), costs: Costs::STATED }
    }

    /// The same ask, with these servers among those that go back.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{Ask, Reclaimer};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let mut server = || cluster.add_server(Server::on_loan(v100, 8));
    /// # let (first, second, third) = (server()?, server()?, server()?);
    /// // A job has 6 GPUs on each of two servers, another that is dear has 2 on the third.
    /// let wide = cluster.add_job(Job::inelastic(12))?;
    /// cluster.place(wide, &[Placement::base(first, 6), Placement::base(second, 6)])?;
    /// let dear = cluster.add_job(Job::inelastic(2).preemption_cost(5))?;
    /// cluster.place(dear, &[Placement::base(third, 2)])?;
    /// let answer = Reclaimer::default().solve(&cluster, Ask::servers(2).must_return(&[third]))?;
    /// // The third for 5, and one of the others for 1. Left free, it would have taken the two others for 1.
    /// assert_eq!((answer.servers(), answer.certificate().objective()), (&[first, third][..], 6));
    /// assert_eq!(Reclaimer::default().solve(&cluster, 2)?.certificate().objective(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn must_return(mut self, servers: impl Into<Cow<'a, [ServerId]>>) -> Self {
        self.must_return = servers.into();
        self
    }

    /// The same ask, with none of these servers among those that go back.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{Ask, Reclaimer};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let mut server = || cluster.add_server(Server::on_loan(v100, 8));
    /// # let (first, second, third) = (server()?, server()?, server()?);
    /// // A job has 6 GPUs on each of two servers, another that is dear has 2 on the third.
    /// let wide = cluster.add_job(Job::inelastic(12))?;
    /// cluster.place(wide, &[Placement::base(first, 6), Placement::base(second, 6)])?;
    /// let dear = cluster.add_job(Job::inelastic(2).preemption_cost(5))?;
    /// cluster.place(dear, &[Placement::base(third, 2)])?;
    /// let answer = Reclaimer::default().solve(&cluster, Ask::servers(1).must_stay(&[first, second]))?;
    /// assert_eq!((answer.servers(), answer.certificate().objective()), (&[third][..], 5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn must_stay(mut self, servers: impl Into<Cow<'a, [ServerId]>>) -> Self {
        self.must_stay = servers.into();
        self
    }

    /// The same ask, with other costs of preemption.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::cluster::{Cluster, GpuType, Job, Placement, Server};
    /// use aryl::reclaim::{Ask, CostModel, Reclaimer};
    ///
    /// # let mut cluster = Cluster::new();
    /// # let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
    /// # let mut server = || cluster.add_server(Server::on_loan(v100, 8));
    /// # let (first, second, third) = (server()?, server()?, server()?);
    /// // A job has 6 GPUs on each of two servers, another that is dear has 2 on the third.
    /// let wide = cluster.add_job(Job::inelastic(12))?;
    /// cluster.place(wide, &[Placement::base(first, 6), Placement::base(second, 6)])?;
    /// let dear = cluster.add_job(Job::inelastic(2).preemption_cost(5))?;
    /// cluster.place(dear, &[Placement::base(third, 2)])?;
    /// let spared = Ask::servers(1).must_stay(vec![first, second]);
    /// assert_eq!(Reclaimer::default().solve(&cluster, &spared)?.certificate().objective(), 5);
    /// // The same job, when jobs are merely counted.
    /// let counted = spared.costs(CostModel::Jobs);
    /// assert_eq!(Reclaimer::default().solve(&cluster, &counted)?.certificate().objective(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn costs(mut self, costs: impl Into<Costs<'a>>) -> Self {
        self.costs = costs.into();
        self
    }

    /// How much is asked back.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::id::ServerId;
    /// use aryl::reclaim::{Amount, Ask, Quantity};
    ///
    /// assert_eq!(Ask::gpus(64).amount(), &Amount::Any(Quantity::Gpus(64)));
    /// assert_eq!(Ask::these(&[ServerId::new(3)]).amount(), &Amount::Listed);
    /// ```
    #[must_use]
    pub const fn amount(&self) -> &Amount<'a> {
        &self.amount
    }

    /// Whether nothing is asked back.
    ///
    /// # Complexity
    ///
    /// O(1), or O(types) where amounts are by type.
    ///
    /// # Examples
    ///
    /// ```
    /// use aryl::id::ServerId;
    /// use aryl::reclaim::Ask;
    ///
    /// assert!(Ask::servers(0).is_nothing() && Ask::gpus(0).is_nothing() && Ask::these(&[]).is_nothing());
    /// assert!(!Ask::these(&[ServerId::new(3)]).is_nothing());
    /// ```
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        let is_zero = |quantity: &Quantity| matches!(quantity, Quantity::Servers(0) | Quantity::Gpus(0));
        self.must_return.is_empty()
            && match &self.amount {
                Amount::Any(quantity) => is_zero(quantity),
                Amount::ByType(amounts) => amounts.iter().all(|(_, quantity)| is_zero(quantity)),
                Amount::Listed => true,
            }
    }
}

impl fmt::Display for Ask<'_> {
    /// As the object of a sentence.
    ///
    /// ```
    /// use aryl::id::{GpuTypeId, ServerId};
    /// use aryl::reclaim::{Ask, Quantity};
    ///
    /// assert_eq!(Ask::servers(1).to_string(), "1 server");
    /// let (first, second) = (ServerId::new(4), ServerId::new(7));
    /// let ask = Ask::gpus(64).must_return(vec![first, second]).must_stay(vec![ServerId::new(5)]);
    /// assert_eq!(ask.to_string(), "servers with 64 GPUs, server 4 and server 7 among them, without server 5");
    /// let ask = Ask::by_type(vec![(GpuTypeId::new(0), Quantity::Servers(2)), (GpuTypeId::new(1), Quantity::Gpus(8))]);
    /// assert_eq!(ask.to_string(), "2 servers of GPU type 0 and servers with 8 GPUs of GPU type 1");
    /// assert_eq!(Ask::these(&[first]).to_string(), "server 4");
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.amount {
            Amount::Any(quantity) => write!(f, "{quantity}")?,
            Amount::ByType(amounts) if amounts.is_empty() => f.write_str("nothing")?,
            Amount::ByType(amounts) => {
                list(f, amounts, |f, (gpu_type, quantity)| write!(f, "{quantity} of {gpu_type}"))?;
            }
            Amount::Listed if self.must_return.is_empty() => f.write_str("nothing")?,
            Amount::Listed => list(f, &self.must_return, |f, server| write!(f, "{server}"))?,
        }
        if !self.must_return.is_empty() && !matches!(self.amount, Amount::Listed) {
            f.write_str(", ")?;
            list(f, &self.must_return, |f, server| write!(f, "{server}"))?;
            f.write_str(" among them")?;
        }
        if !self.must_stay.is_empty() {
            f.write_str(", without ")?;
            list(f, &self.must_stay, |f, server| write!(f, "{server}"))?;
        }
        Ok(())
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Servers(1) => f.write_str("1 server"),
            Self::Servers(servers) => write!(f, "{servers} servers"),
            Self::Gpus(1) => f.write_str("servers with 1 GPU"),
            Self::Gpus(gpus) => write!(f, "servers with {gpus} GPUs"),
        }
    }
}

/// Things in a row: `a, b and c`.
fn list<T>(
    f: &mut fmt::Formatter<'_>,
    things: &[T],
    write: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (at, thing) in things.iter().enumerate() {
        f.write_str(match at {
            0 => "",
            _ if at + 1 == things.len() => " and ",
            _ => ", ",
        })?;
        write(f, thing)?;
    }
    Ok(())
}

impl Default for Ask<'_> {
    fn default() -> Self {
        Self::NOTHING
    }
}

impl From<u32> for Ask<'_> {
    /// This many servers, of any type.
    fn from(servers: u32) -> Self {
        Self::servers(servers)
    }
}

impl<'a> From<&'a Ask<'_>> for Ask<'a> {
    /// The same ask, borrowed: nothing is copied.
    fn from(ask: &'a Ask<'_>) -> Self {
        let amount = match &ask.amount {
            Amount::Any(quantity) => Amount::Any(*quantity),
            Amount::ByType(amounts) => Amount::ByType(Cow::Borrowed(amounts)),
            Amount::Listed => Amount::Listed,
        };
        Self {
            amount,
            must_return: Cow::Borrowed(&ask.must_return),
            must_stay: Cow::Borrowed(&ask.must_stay),
            costs: ask.costs.borrowed(),
        }
    }
}
