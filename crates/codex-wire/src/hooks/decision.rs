//! What hooks decide.

use crate::json::{Extra, Raw};
use crate::{Maybe, Wire};

/// What a hook of `PermissionRequest` decides.
///
/// Since 0.122.0.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(rename_all = "camelCase", closed)]
#[non_exhaustive]
pub struct PermissionRequestDecisionWire {
    /// The decision.
    pub behavior: PermissionRequestBehaviorWire,
    /// Reserved: an output with it fails, and the user is asked.
    #[wire(optional)]
    pub updated_input: Maybe<Raw>,
    /// Reserved: an output with it fails, and the user is asked.
    #[wire(optional)]
    pub updated_permissions: Maybe<Raw>,
    /// Why it is denied, for the model.
    #[wire(optional)]
    pub message: Maybe<String>,
    /// Reserved: an output with `true` fails, and the user is asked.
    #[wire(optional)]
    pub interrupt: Maybe<bool>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A decision in place of the user.
///
/// Since 0.122.0.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum PermissionRequestBehaviorWire {
    /// The tool runs, and the user is not asked.
    Allow,
    /// The call is rejected.
    Deny,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// A decision of a hook of `PreToolUse`, in the older spelling.
///
/// Since 0.117.0.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum PreToolUseDecisionWire {
    /// In the schema; an output with it fails.
    Approve,
    /// The call is denied.
    Block,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// A decision of a hook of `PreToolUse`.
///
/// Since 0.117.0.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
pub enum PreToolUsePermissionDecisionWire {
    /// The tool runs, with the input that stands beside it.
    Allow,
    /// The call is denied.
    Deny,
    /// In the schema; an output with it fails.
    Ask,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}

/// A decision with one value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Wire)]
#[non_exhaustive]
#[doc(alias = "StopDecisionWire")]
pub enum BlockDecisionWire {
    /// What the event announces does not happen.
    Block,
    /// A value that this crate does not know.
    #[wire(unknown)]
    Unknown(String),
}
