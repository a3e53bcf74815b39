//! The kinds of change, and what a change may mean for the reader.

use std::fmt;

/// Who writes a message. Changes are decided from the other side, the reader's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Codex writes and the client reads: a client built for the older release runs with the newer
    /// one.
    CodexWrites,
    /// The client writes and Codex reads: a message valid for the older release is sent to the
    /// newer one.
    ClientWrites,
}

impl Direction {
    /// Both.
    pub const ALL: [Direction; 2] = [Direction::CodexWrites, Direction::ClientWrites];

    /// The name in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Direction::CodexWrites => "codex-writes",
            Direction::ClientWrites => "client-writes",
        }
    }
}

/// What a change means for the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// A reader is not affected if it ignores what it does not know.
    Compatible,
    /// It could not be decided.
    Unknown,
    /// Whether it breaks depends on the reader.
    Maybe,
    /// The reader receives something that its own description excludes.
    Breaking,
}

impl Verdict {
    /// All, worst first.
    pub const ALL: [Verdict; 4] = [
        Verdict::Breaking,
        Verdict::Maybe,
        Verdict::Unknown,
        Verdict::Compatible,
    ];

    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Compatible => "compatible",
            Verdict::Unknown => "unknown",
            Verdict::Maybe => "maybe",
            Verdict::Breaking => "breaking",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

macro_rules! changes {
    ($($(#[$about:meta])* $name:ident $text:literal <=> $back:ident;)*) => {
        /// The kinds of change, seen from the older side.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Change { $($(#[$about])* $name,)* }

        impl Change {
            /// All of them.
            pub const ALL: &'static [Change] = &[$(Change::$name,)*];

            /// The name in reports.
            pub fn as_str(self) -> &'static str {
                match self { $(Change::$name => $text,)* }
            }

            /// The change in the opposite direction: from the newer side to the older.
            #[must_use]
            pub fn reversed(self) -> Change {
                match self { $(Change::$name => Change::$back,)* }
            }
        }
    };
}

changes! {
    /// A message was added.
    MessageAdded "message-added" <=> MessageRemoved;
    /// A message was removed.
    MessageRemoved "message-removed" <=> MessageAdded;
    /// A message was renamed and is otherwise the same.
    MessageRenamed "message-renamed" <=> MessageRenamed;
    /// A message set is no longer spoken, with all its messages.
    DialectEnded "dialect-ended" <=> DialectBegan;
    /// A message set is spoken that was not spoken before.
    DialectBegan "dialect-began" <=> DialectEnded;
    /// A message moved into the experimental API.
    BecameExperimental "became-experimental" <=> BecameStable;
    /// A message left the experimental API.
    BecameStable "became-stable" <=> BecameExperimental;
    /// An optional member was added.
    OptionalMemberAdded "optional-member-added" <=> OptionalMemberRemoved;
    /// A required member was added.
    RequiredMemberAdded "required-member-added" <=> RequiredMemberRemoved;
    /// An optional member was removed.
    OptionalMemberRemoved "optional-member-removed" <=> OptionalMemberAdded;
    /// A required member was removed.
    RequiredMemberRemoved "required-member-removed" <=> RequiredMemberAdded;
    /// An optional member was renamed and is otherwise the same.
    OptionalMemberRenamed "optional-member-renamed" <=> OptionalMemberRenamed;
    /// A required member was renamed and is otherwise the same.
    RequiredMemberRenamed "required-member-renamed" <=> RequiredMemberRenamed;
    /// A required member became optional.
    BecameOptional "became-optional" <=> BecameRequired;
    /// An optional member became required.
    BecameRequired "became-required" <=> BecameOptional;
    /// `null` became allowed.
    NullAdded "null-added" <=> NullRemoved;
    /// `null` is no longer allowed.
    NullRemoved "null-removed" <=> NullAdded;
    /// Further JSON types are allowed.
    TypeWidened "type-widened" <=> TypeNarrowed;
    /// Some JSON types are no longer allowed.
    TypeNarrowed "type-narrowed" <=> TypeWidened;
    /// None of the former JSON types is allowed any more.
    TypeChanged "type-changed" <=> TypeChanged;
    /// A value was added to an enumeration.
    ValueAdded "value-added" <=> ValueRemoved;
    /// A value was removed from an enumeration.
    ValueRemoved "value-removed" <=> ValueAdded;
    /// A value of an enumeration is spelt differently.
    ValueRenamed "value-renamed" <=> ValueRenamed;
    /// An enumeration became any string.
    EnumOpened "enum-opened" <=> EnumClosed;
    /// Any string became an enumeration.
    EnumClosed "enum-closed" <=> EnumOpened;
    /// A variant was added to a union.
    VariantAdded "variant-added" <=> VariantRemoved;
    /// A variant was removed from a union.
    VariantRemoved "variant-removed" <=> VariantAdded;
    /// The tag of a variant was renamed; the variant is otherwise the same.
    VariantRenamed "variant-renamed" <=> VariantRenamed;
    /// The tag member of a union was renamed.
    TagRenamed "tag-renamed" <=> TagRenamed;
    /// Undeclared members became allowed.
    ObjectOpened "object-opened" <=> ObjectClosed;
    /// Undeclared members are no longer allowed.
    ObjectClosed "object-closed" <=> ObjectOpened;
    /// Numbers beyond the old bounds are allowed.
    BoundsWidened "bounds-widened" <=> BoundsNarrowed;
    /// Some numbers within the old bounds are no longer allowed.
    BoundsNarrowed "bounds-narrowed" <=> BoundsWidened;
    /// A pattern, an encoding, a length or another constraint changed.
    ConstraintChanged "constraint-changed" <=> ConstraintChanged;
    /// Only the format of the value changed, which makes no value valid or invalid.
    FormatChanged "format-changed" <=> FormatChanged;
    /// A definition was renamed; the messages are the same.
    DefinitionRenamed "definition-renamed" <=> DefinitionRenamed;
}
