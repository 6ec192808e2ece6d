//! The written form of an ask: a plain number of servers, or a map with all the rest.

use alloc::borrow::Cow;
use core::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::ask::{Amount, Ask, Quantity};
use super::costs::Costs;
use crate::id::ServerId;

#[derive(Serialize, Deserialize)]
#[serde(rename = "Ask", deny_unknown_fields)]
struct Map<'a> {
    amount: Amount<'a>,
    #[serde(default)]
    must_return: Cow<'a, [ServerId]>,
    #[serde(default)]
    must_stay: Cow<'a, [ServerId]>,
    #[serde(default)]
    costs: Costs<'a>,
}

impl Serialize for Ask<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Ask { amount, must_return, must_stay, costs } = Ask::from(self);
        match amount {
            Amount::Any(Quantity::Servers(servers))
                if must_return.is_empty() && must_stay.is_empty() && costs == Costs::STATED =>
            {
                serializer.serialize_u32(servers)
            }
            _ => Map { amount, must_return, must_stay, costs }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Ask<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Form).map(|Map { amount, must_return, must_stay, costs }| Ask {
            amount,
            must_return,
            must_stay,
            costs,
        })
    }
}

struct Form;

impl<'de> Visitor<'de> for Form {
    type Value = Map<'static>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number of servers, or a map with an amount")
    }

    fn visit_u64<E: Error>(self, servers: u64) -> Result<Self::Value, E> {
        let number = u32::try_from(servers)
            .map_err(|_| E::custom(format_args!("{servers} servers are more than there can be")))?;
        let Ask { amount, must_return, must_stay, costs } = Ask::servers(number);
        Ok(Map { amount, must_return, must_stay, costs })
    }

    fn visit_i64<E: Error>(self, servers: i64) -> Result<Self::Value, E> {
        let number = u64::try_from(servers)
            .map_err(|_| E::custom(format_args!("{servers} is not a number of servers")))?;
        self.visit_u64(number)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Map::deserialize(MapAccessDeserializer::new(map))
    }
}
