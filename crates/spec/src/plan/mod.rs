//! Plans: recipes that build models with no search, and searches for what has none.
//!
//! A request is taken apart into variables ([`frame`]) that fall into independent groups ([`groups`]). Each group
//! becomes a recipe ([`recipe`]): of `some-of` independent recipes every combination is a model, of `all-of` them as
//! many as the smallest has, of the branches of an enumeration all together; and these numbers are the largest
//! possible. Values come from spaces that can be counted and dealt without remembering what was dealt ([`space`],
//! [`hand`], [`deal`]).

mod build;
mod classes;
mod clique;
mod cover;
mod deal;
mod differ;
mod frame;
mod groups;
mod hand;
mod ints;
mod pack;
mod recipe;
mod search;
mod space;
mod words;
mod work;

pub(crate) use build::Planner;
pub(crate) use classes::Key;
pub(crate) use differ::Differ;
pub(crate) use frame::Frame;
pub(crate) use recipe::{Dealt, Draft, Plan};
pub(crate) use search::{Context, End, Search};
pub(crate) use work::{STOPPED, Work};
