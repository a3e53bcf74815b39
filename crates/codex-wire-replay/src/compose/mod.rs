//! Composes messages of a release: values, ids, the writer that goes by the schemas of the release, and
//! what no schema says. Scripts, answers to what was not recorded, and recordings that are converted to
//! another release are made of these.

pub(crate) mod ids;
pub(crate) mod json;
pub(crate) mod observed;
pub(crate) mod settings;
pub(crate) mod writer;
