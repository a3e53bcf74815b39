//! The members of a struct, as the rest of the derive sees them.

use syn::{Ident, Type};

use crate::attributes::MemberAttributes;

pub(crate) struct Member<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) ty: &'a Type,
    pub(crate) wire: Box<MemberAttributes>,
}

impl Member<'_> {
    pub(crate) fn is_required(&self) -> bool {
        self.wire.maybe.is_none()
    }
}

pub(crate) struct Object<'a> {
    pub(crate) members: Vec<Member<'a>>,
    pub(crate) extra: Option<&'a Ident>,
    /// The field that keeps the order of the members.
    pub(crate) order: Option<&'a Ident>,
    pub(crate) variant: Option<(&'a Ident, &'a Type)>,
    /// How many members stand before the embedded union.
    pub(crate) before_variant: usize,
    pub(crate) tag_key: Option<(&'a Ident, &'a Type)>,
}
