//! Why an integer program gave no answer.

use core::fmt;

use super::backend::BackendError;
use crate::id::{JobId, ServerId};
use crate::units::Seconds;

/// Why there is no answer.
///
/// # Examples
///
/// ```
/// use aryl::cluster::{Cluster, GpuType, Server};
/// use aryl::ilp::{self, IlpError, Microlp};
///
/// let mut cluster = Cluster::new();
/// let v100 = cluster.add_gpu_type(GpuType::new("V100"))?;
/// cluster.add_server(Server::on_loan(v100, 8))?;
/// let error = ilp::reclaim(&cluster, 2, &Microlp::default()).unwrap_err();
/// assert_eq!(error, IlpError::NotEnoughServers { asked: 2, available: 1 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum IlpError {
    /// The mandatory classes of a knapsack do not fit. It is found before the program is built.
    #[error(
        "the lightest items of the mandatory classes weigh {mandatory_weight}, the capacity is {capacity}"
    )]
    MandatoryTooHeavy {
        /// The sum of the lightest weights of the classes that ask for exactly one item.
        mandatory_weight: u64,
        /// The capacity.
        capacity: u64,
    },
    /// More servers are asked for than can go back. It is found before the program is built.
    #[error("{asked} servers are to go back, and {available} can")]
    NotEnoughServers {
        /// The servers asked for.
        asked: u32,
        /// The servers that can go back.
        available: u32,
    },
    /// The wait that a job is spared, times its weight, is negative or 2^53 milliseconds or more.
    #[error("a wait of {wait} at the weight of {job} is not from 0 to 2^53 - 1 milliseconds")]
    Wait {
        /// The job.
        job: JobId,
        /// The wait given.
        wait: Seconds,
    },
    /// The program would have too many variables.
    #[error("the program would have {variables} variables; it may have {limit}")]
    TooLarge {
        /// The number of variables at which counting stopped.
        variables: u64,
        /// [`VARIABLE_LIMIT`](super::VARIABLE_LIMIT).
        limit: u64,
    },
    /// The backend has no answer.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The backend's answer is none.
    #[error("the backend's answer is wrong: {0}")]
    WrongAnswer(
        /// What is wrong with it.
        #[from]
        WrongAnswer,
    ),
}

/// How the answer of a backend breaks the rules of the problem.
///
/// # Examples
///
/// A backend that cuts a variable in half is found out:
///
/// ```
/// use aryl::ilp::{self, Assignment, Backend, BackendError, IlpError, Model, WrongAnswer};
/// use aryl::knapsack::{ClassKind, Instance, Item};
///
/// struct Half;
/// impl Backend for Half {
///     fn solve(&self, model: &Model) -> Result<Assignment, BackendError> {
///         Ok(Assignment::new(vec![0.5; model.variables().len()], 1e9))
///     }
/// }
///
/// let mut instance = Instance::new(3);
/// instance.push_class(ClassKind::AtMostOne, [Item::new(2, 9)])?;
/// let wrong = WrongAnswer::Value { variable: 0, value: 0.5, upper: 1 };
/// assert_eq!(wrong.to_string(), "variable 0 is 0.5, not a whole number from 0 to 1");
/// assert_eq!(ilp::knapsack(&instance, &Half), Err(IlpError::WrongAnswer(wrong)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WrongAnswer {
    /// It does not have one value a variable.
    #[error("it has {values} values for {variables} variables")]
    Length {
        /// Values given.
        values: usize,
        /// Variables of the model.
        variables: usize,
    },
    /// A value is no whole number, or out of its range.
    #[error("variable {variable} is {value}, not a whole number from 0 to {upper}")]
    Value {
        /// The number of the variable.
        variable: usize,
        /// The value given.
        value: f64,
        /// The largest value allowed.
        upper: u32,
    },
    /// The bound is not a number.
    #[error("its bound is not a number")]
    Bound,
    /// A class of a knapsack has another number of items chosen than it may.
    #[error("{chosen} items of class {class} are chosen, which its kind does not allow")]
    Choices {
        /// The class, counted from 0.
        class: usize,
        /// Items chosen.
        chosen: usize,
    },
    /// The items chosen are too heavy.
    #[error("the items chosen weigh {weight}, above the capacity of {capacity}")]
    OverCapacity {
        /// What they weigh.
        weight: u64,
        /// The capacity.
        capacity: u64,
    },
    /// Another number of servers goes back than was asked for.
    #[error("{servers} servers go back, and {asked} were asked for")]
    Servers {
        /// Servers chosen.
        servers: u64,
        /// Servers asked for.
        asked: u32,
    },
    /// A job has more than one choice made for it, or a running one has none.
    #[error("{choices} choices are made for {job}; there must be one, or none where it waits")]
    JobChoices {
        /// The job.
        job: JobId,
        /// Choices made.
        choices: u32,
    },
    /// The workers of a job are on no server, or a server is over-full.
    #[error("{job} can't be placed as it says{}", Last(*server))]
    Placement {
        /// The job.
        job: JobId,
        /// The last server that hosts its workers, if any does.
        server: Option<ServerId>,
    },
}

/// The last server of a job, in a sentence.
struct Last(Option<ServerId>);

impl fmt::Display for Last {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(server) => write!(f, "; the last of its servers is {server}"),
            None => f.write_str("; it is on no server"),
        }
    }
}
