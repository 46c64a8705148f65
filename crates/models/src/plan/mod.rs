//! Plans: recipes that build models with no search, and searches for what has none.
//!
//! A request is taken apart into variables ([`frame`]) that fall into independent groups ([`groups`]). Each group
//! becomes a recipe ([`recipe`]): of `some-of` independent recipes every combination is a model, of `all-of` them as
//! many as the smallest has, of the branches of an enumeration all together; and these numbers are the largest
//! possible. Values come from spaces that can be counted and sampled without remembering what was drawn ([`space`],
//! [`sample`], [`shuffle`]).

mod build;
mod classes;
mod clique;
mod cover;
mod differ;
mod frame;
mod groups;
mod ordered;
mod pack;
mod recipe;
mod sample;
mod search;
mod shuffle;
mod space;
mod work;

pub(crate) use build::Planner;
pub(crate) use classes::Key;
pub(crate) use differ::Differ;
pub(crate) use frame::RequestFrame;
pub(crate) use recipe::{Draft, Plan, PlanSample};
pub(crate) use search::{Context, SearchEnd, SearchPlan};
pub(crate) use work::{STOPPED, WorkBudget};
