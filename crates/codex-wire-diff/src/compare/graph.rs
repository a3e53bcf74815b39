//! What a comparison finds: differences by their owners, and the steps from messages to them.

use crate::change::Change;
use crate::shapes::Object;

/// One step into a value, on both sides.
#[derive(Clone, Debug)]
pub(crate) enum Step<'d> {
    Member(&'d str),
    /// Any item of an array.
    Item,
    /// The value under any key.
    Key,
    /// No step into the value, but a choice of what it is.
    Branch {
        label: String,
        before: Object<'d>,
        after: Object<'d>,
    },
}

impl<'d> Step<'d> {
    /// Into one of several variants.
    pub(super) fn branch(label: &str, before: &Object<'d>, after: &Object<'d>) -> Self {
        Step::Branch {
            label: label.to_owned(),
            before: before.clone(),
            after: after.clone(),
        }
    }
}

/// A change where it was found.
#[derive(Clone, Debug)]
pub(crate) struct Found<'d> {
    pub(crate) change: Change,
    /// From the owner to the object, union or value that changed.
    pub(crate) steps: Vec<Step<'d>>,
    /// On the older side, and on the newer.
    pub(crate) place: [String; 2],
    pub(crate) texts: [Option<String>; 2],
    /// The member, value or tag in question, on either side.
    pub(crate) subject: [Option<&'d str>; 2],
    /// The variant in question.
    pub(crate) branches: [Option<Object<'d>>; 2],
    /// Whether the object forbids undeclared members.
    pub(crate) closed: [bool; 2],
}

/// A pair of definitions.
#[derive(Debug)]
pub(crate) struct Owner<'d> {
    /// Its name on the older side, and on the newer.
    pub(crate) place: [String; 2],
    pub(crate) found: Vec<Found<'d>>,
    pub(crate) edges: Vec<(Vec<Step<'d>>, usize)>,
}

/// A message both sides have.
#[derive(Debug)]
pub(crate) struct Entry<'d> {
    pub(crate) name: String,
    pub(crate) steps: Vec<Step<'d>>,
    pub(crate) owner: usize,
}

/// All that was found in a part.
#[derive(Debug, Default)]
pub(crate) struct Graph<'d> {
    pub(crate) owners: Vec<Owner<'d>>,
    pub(crate) entries: Vec<Entry<'d>>,
    /// Messages that are new, gone or renamed, by name; their steps begin at the root.
    pub(crate) messages: Vec<(String, Found<'d>)>,
    /// What concerns every message: members beside the union, and those all messages have.
    pub(crate) common: Vec<usize>,
    /// A change there was no room for.
    pub(super) spare: Option<Found<'d>>,
}
