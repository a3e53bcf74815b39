//! What a comparison finds, as data.

use std::fmt;

use serde_json::Value;

use crate::rules::Rule;

/// Who writes a message. The other side is the reader, who has to cope with a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Codex writes, its client reads: a client built for the one release meets the other.
    CodexWrites,
    /// The client writes, Codex reads: what was right for the one release is given to the other.
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
    /// A reader that ignores what it does not know is not affected.
    Compatible,
    /// It could not be decided.
    Unknown,
    /// It depends on the reader.
    Maybe,
    /// The reader meets what it was promised not to meet.
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

            /// The same change, seen from the other side.
            #[must_use]
            pub fn reversed(self) -> Change {
                match self { $(Change::$name => Change::$back,)* }
            }
        }
    };
}

changes! {
    /// A message is there that was not.
    MessageAdded "message-added" <=> MessageRemoved;
    /// A message is gone.
    MessageRemoved "message-removed" <=> MessageAdded;
    /// A message has another name and is the same otherwise.
    MessageRenamed "message-renamed" <=> MessageRenamed;
    /// A surface is no longer spoken, with all its messages.
    DialectEnded "dialect-ended" <=> DialectBegan;
    /// A surface is spoken that was not.
    DialectBegan "dialect-began" <=> DialectEnded;
    /// A message moved into the experimental API.
    BecameExperimental "became-experimental" <=> BecameStable;
    /// A message left the experimental API.
    BecameStable "became-stable" <=> BecameExperimental;
    /// A member is there that was not, and may be left out.
    OptionalMemberAdded "optional-member-added" <=> OptionalMemberRemoved;
    /// A member is there that was not, and always is.
    RequiredMemberAdded "required-member-added" <=> RequiredMemberRemoved;
    /// A member that could be left out is gone.
    OptionalMemberRemoved "optional-member-removed" <=> OptionalMemberAdded;
    /// A member that was always there is gone.
    RequiredMemberRemoved "required-member-removed" <=> RequiredMemberAdded;
    /// An optional member has another name and is the same otherwise.
    OptionalMemberRenamed "optional-member-renamed" <=> OptionalMemberRenamed;
    /// A required member has another name and is the same otherwise.
    RequiredMemberRenamed "required-member-renamed" <=> RequiredMemberRenamed;
    /// A member that was always there may be left out.
    BecameOptional "became-optional" <=> BecameRequired;
    /// A member that could be left out is always there.
    BecameRequired "became-required" <=> BecameOptional;
    /// `null` is allowed where it was not.
    NullAdded "null-added" <=> NullRemoved;
    /// `null` is no longer allowed.
    NullRemoved "null-removed" <=> NullAdded;
    /// Further JSON types are allowed.
    TypeWidened "type-widened" <=> TypeNarrowed;
    /// Some JSON types are no longer allowed.
    TypeNarrowed "type-narrowed" <=> TypeWidened;
    /// No JSON type is left of those there were.
    TypeChanged "type-changed" <=> TypeChanged;
    /// An enumeration has a value more.
    ValueAdded "value-added" <=> ValueRemoved;
    /// An enumeration has a value less.
    ValueRemoved "value-removed" <=> ValueAdded;
    /// A value of an enumeration is spelt differently.
    ValueRenamed "value-renamed" <=> ValueRenamed;
    /// An enumeration became free text.
    EnumOpened "enum-opened" <=> EnumClosed;
    /// Free text became an enumeration.
    EnumClosed "enum-closed" <=> EnumOpened;
    /// A union has a variant more.
    VariantAdded "variant-added" <=> VariantRemoved;
    /// A union has a variant less.
    VariantRemoved "variant-removed" <=> VariantAdded;
    /// A variant has another tag and is the same otherwise.
    VariantRenamed "variant-renamed" <=> VariantRenamed;
    /// The member that tells the variants apart has another name.
    TagRenamed "tag-renamed" <=> TagRenamed;
    /// Members nobody declared are allowed.
    ObjectOpened "object-opened" <=> ObjectClosed;
    /// Members nobody declared are no longer allowed.
    ObjectClosed "object-closed" <=> ObjectOpened;
    /// Numbers beyond the old bounds are allowed.
    BoundsWidened "bounds-widened" <=> BoundsNarrowed;
    /// Some numbers within the old bounds are no longer allowed.
    BoundsNarrowed "bounds-narrowed" <=> BoundsWidened;
    /// A pattern, an encoding, a length or another constraint changed.
    ConstraintChanged "constraint-changed" <=> ConstraintChanged;
    /// Only what is said about the value changed: its format, which judges nothing.
    FormatChanged "format-changed" <=> FormatChanged;
    /// A definition has another name; the wire is the same.
    DefinitionRenamed "definition-renamed" <=> DefinitionRenamed;
}

/// One change between two sides.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Difference {
    /// What happened.
    pub change: Change,
    /// Where: `Usage.reasoning_output_tokens`, `ThreadItem`, `item/started`.
    pub place: String,
    /// The same by the names of the older side.
    pub former_place: String,
    /// What is concerned, as it was: a name, a value, a type in words. None where it is new.
    pub before: Option<String>,
    /// The same as it is.
    pub after: Option<String>,
    /// What it means, for each direction in which a message reaches the place.
    pub judgements: Vec<Judgement>,
    /// The messages that reach the place, by surface and name, sorted; of a message that is new
    /// or gone, itself.
    pub messages: Vec<Message>,
    /// How the first of the shortest ways from a message to the place goes: the message, then
    /// members, `[]` for items of an array, `*` for values under any key, tags in angle brackets.
    /// Empty where every message changed alike.
    pub path: Vec<String>,
}

impl Difference {
    /// The worst of its verdicts.
    pub fn verdict(&self) -> Verdict {
        let verdicts = self.judgements.iter().map(|judgement| judgement.verdict);
        verdicts.max().unwrap_or(Verdict::Unknown)
    }
}

/// What a change means in one direction.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Judgement {
    /// The direction.
    pub direction: Direction,
    /// The rule that applies.
    pub rule: &'static Rule,
    /// The verdict: that of the rule, unless it is one that evidence has to decide.
    pub verdict: Verdict,
    /// A message that shows it.
    pub counterexample: Option<Counterexample>,
    /// Why the verdict is not that of the rule.
    pub remark: Option<String>,
}

/// A value one side accepts and the other does not. Both was tried with a validator.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Counterexample {
    /// The message, as small as it can be.
    pub value: Value,
    /// Whose description accepts it: the older side's, or the newer side's.
    pub accepted_by: Which,
    /// Whether that holds only where undeclared members are allowed.
    pub undeclared: bool,
}

/// One of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Which {
    /// The older one, given first.
    Before,
    /// The newer one, given second.
    After,
}

impl Which {
    /// The other one.
    #[must_use]
    pub fn other(self) -> Which {
        match self {
            Which::Before => Which::After,
            Which::After => Which::Before,
        }
    }
}

/// A message, by the name of what it is part of and its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Message {
    /// The surface, or the file.
    pub part: String,
    /// Its tag or method.
    pub name: String,
}

impl Message {
    /// A message of a part.
    pub fn new(part: impl Into<String>, name: impl Into<String>) -> Self {
        Message {
            part: part.into(),
            name: name.into(),
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
