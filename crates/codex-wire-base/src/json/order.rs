//! Keeps the order of the members of an object.

/// In which order the members of an object stood, for a type whose order changed between releases.
///
/// Members have no order of their own, so this says nothing about the value: two values that differ
/// in it only are equal. It is kept so that a line comes back as it was. A value made by hand is
/// written in the order of its type.
#[derive(Clone, Debug, Default)]
pub struct MemberOrder(Vec<u8>);

impl PartialEq for MemberOrder {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for MemberOrder {}

impl MemberOrder {
    /// The order of the type.
    pub const fn new() -> Self {
        MemberOrder(Vec::new())
    }

    /// Whether it is the order of the type.
    pub fn is_declared(&self) -> bool {
        self.0.is_empty()
    }

    /// Notes the next member that was read, by its place in the type.
    #[doc(hidden)]
    pub fn push(&mut self, place: usize) {
        self.0.extend(u8::try_from(place));
    }

    /// Forgets an order that is the order of the type.
    #[doc(hidden)]
    #[must_use]
    pub fn settled(self) -> Self {
        if self.0.is_sorted() {
            MemberOrder::new()
        } else {
            self
        }
    }

    /// The places of all `count` members in the order to write them: as they were read, and behind
    /// them those that were not.
    #[doc(hidden)]
    pub fn places(&self, count: usize) -> impl Iterator<Item = usize> {
        let read = self.0.iter().map(|place| usize::from(*place));
        let others =
            (0..count).filter(|place| !self.0.iter().any(|read| usize::from(*read) == *place));
        read.chain(others)
    }
}
