//! The rules: what each change means for the reader.
//!
//! Rules are data. Each has one change, one direction and one verdict; the table has an entry for
//! every change in either direction. Verdicts are given from the reader's side: of what Codex
//! writes, the reader is a client built for the older release; of what a client writes, the reader
//! is the newer Codex.

use crate::change::{Change, Direction, Verdict};

/// What a change means for the reader in one direction.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rule {
    /// The name: the direction and the change.
    pub id: &'static str,
    /// The change it is about.
    pub change: Change,
    /// Who writes what changed.
    pub direction: Direction,
    /// Whether the rule is about readers that forbid undeclared members in the object.
    pub closed: bool,
    /// What it means.
    pub verdict: Verdict,
    /// Why, in a sentence.
    pub why: &'static str,
}

/// All rules, by change and direction.
pub fn rules() -> &'static [Rule] {
    RULES
}

/// The rule for a change. `closed` says whether the reader's object forbids undeclared members.
pub(crate) fn rule(change: Change, direction: Direction, closed: bool) -> &'static Rule {
    let of = |closed: bool| {
        RULES.iter().find(|rule| {
            rule.change == change && rule.direction == direction && rule.closed == closed
        })
    };
    let found = if closed { of(true) } else { None };
    // A test holds that there is one for every change and direction.
    found.or_else(|| of(false)).unwrap_or(&RULES[0])
}

macro_rules! table {
    ($($change:ident $(($closed:ident))? {
        codex $cid:literal $cv:ident $cw:literal;
        client $rid:literal $rv:ident $rw:literal;
    })*) => {
        const RULES: &[Rule] = &[$(
            Rule {
                id: $cid,
                change: Change::$change,
                direction: Direction::CodexWrites,
                closed: table!(@closed $($closed)?),
                verdict: Verdict::$cv,
                why: $cw,
            },
            Rule {
                id: $rid,
                change: Change::$change,
                direction: Direction::ClientWrites,
                closed: table!(@closed $($closed)?),
                verdict: Verdict::$rv,
                why: $rw,
            },
        )*];
    };
    (@closed) => { false };
    (@closed closed) => { true };
}

table! {
    MessageAdded {
        codex "codex-writes/message-added" Maybe
            "A client has to ignore messages it does not know, and to refuse requests.";
        client "client-writes/message-added" Compatible
            "Nobody has to send it.";
    }
    MessageRemoved {
        codex "codex-writes/message-removed" Compatible
            "It is no longer sent. Code that waits for it waits in vain.";
        client "client-writes/message-removed" Breaking
            "Codex refuses what it does not know.";
    }
    MessageRenamed {
        codex "codex-writes/message-renamed" Breaking
            "What a client waits for comes under a name it does not know.";
        client "client-writes/message-renamed" Breaking
            "Codex does not know the old name.";
    }
    DialectEnded {
        codex "codex-writes/dialect-ended" Breaking
            "A client that reads it reads nothing any more, or what it cannot read.";
        client "client-writes/dialect-ended" Breaking
            "Codex takes none of its messages.";
    }
    DialectBegan {
        codex "codex-writes/dialect-began" Compatible
            "A client meets it only where it asks for it, or where another ended.";
        client "client-writes/dialect-began" Compatible
            "Nobody has to speak it.";
    }
    BecameExperimental {
        codex "codex-writes/became-experimental" Maybe
            "Only clients that opted in are promised it.";
        client "client-writes/became-experimental" Maybe
            "Codex takes it only from clients that opted in.";
    }
    BecameStable {
        codex "codex-writes/became-stable" Compatible
            "Every client is promised it.";
        client "client-writes/became-stable" Compatible
            "Every client may send it.";
    }
    OptionalMemberAdded {
        codex "codex-writes/optional-member-added" Compatible
            "A client has to ignore members it does not know.";
        client "client-writes/optional-member-added" Compatible
            "It may be left out.";
    }
    OptionalMemberAdded(closed) {
        codex "codex-writes/optional-member-added-to-closed" Breaking
            "The old description of the object forbids other members.";
        client "client-writes/optional-member-added-to-closed" Compatible
            "It may be left out.";
    }
    RequiredMemberAdded {
        codex "codex-writes/required-member-added" Compatible
            "A client has to ignore members it does not know.";
        client "client-writes/required-member-added" Breaking
            "Codex asks for what the client does not know of.";
    }
    RequiredMemberAdded(closed) {
        codex "codex-writes/required-member-added-to-closed" Breaking
            "The old description of the object forbids other members.";
        client "client-writes/required-member-added-to-closed" Breaking
            "Codex asks for what the client does not know of.";
    }
    OptionalMemberRemoved {
        codex "codex-writes/optional-member-removed" Maybe
            "A client had to do without it, but may live on it.";
        client "client-writes/optional-member-removed" Maybe
            "Codex ignores what the client asks with it.";
    }
    OptionalMemberRemoved(closed) {
        codex "codex-writes/optional-member-removed-from-closed" Maybe
            "A client had to do without it, but may live on it.";
        client "client-writes/optional-member-removed-from-closed" Breaking
            "Codex refuses the object with it.";
    }
    RequiredMemberRemoved {
        codex "codex-writes/required-member-removed" Breaking
            "A client relies on it.";
        client "client-writes/required-member-removed" Compatible
            "Codex ignores members it does not know.";
    }
    RequiredMemberRemoved(closed) {
        codex "codex-writes/required-member-removed-from-closed" Breaking
            "A client relies on it.";
        client "client-writes/required-member-removed-from-closed" Breaking
            "Codex refuses the object with it.";
    }
    OptionalMemberRenamed {
        codex "codex-writes/optional-member-renamed" Maybe
            "A client had to do without the old name, but may live on it.";
        client "client-writes/optional-member-renamed" Maybe
            "Codex ignores what the client asks with the old name.";
    }
    RequiredMemberRenamed {
        codex "codex-writes/required-member-renamed" Breaking
            "A client relies on the old name.";
        client "client-writes/required-member-renamed" Breaking
            "Codex asks for the new name.";
    }
    BecameOptional {
        codex "codex-writes/became-optional" Breaking
            "A client relies on it being there.";
        client "client-writes/became-optional" Compatible
            "It may still be there.";
    }
    BecameRequired {
        codex "codex-writes/became-required" Compatible
            "A client that could do without it can do with it.";
        client "client-writes/became-required" Breaking
            "Codex refuses the object without it.";
    }
    NullAdded {
        codex "codex-writes/null-added" Breaking
            "A client relies on a value.";
        client "client-writes/null-added" Compatible
            "Values are taken as before.";
    }
    NullRemoved {
        codex "codex-writes/null-removed" Compatible
            "A client that could take `null` can take a value.";
        client "client-writes/null-removed" Breaking
            "Codex refuses `null`.";
    }
    TypeWidened {
        codex "codex-writes/type-widened" Breaking
            "A client meets types it was not promised.";
        client "client-writes/type-widened" Compatible
            "What was taken is still taken.";
    }
    TypeNarrowed {
        codex "codex-writes/type-narrowed" Compatible
            "What comes was to be expected before.";
        client "client-writes/type-narrowed" Breaking
            "Codex refuses some types it took.";
    }
    TypeChanged {
        codex "codex-writes/type-changed" Breaking
            "A client meets another type than it was promised.";
        client "client-writes/type-changed" Breaking
            "Codex refuses the type it took.";
    }
    ValueAdded {
        codex "codex-writes/value-added" Maybe
            "A client that takes the list for complete cannot read it.";
        client "client-writes/value-added" Compatible
            "Nobody has to use it.";
    }
    ValueRemoved {
        codex "codex-writes/value-removed" Compatible
            "It no longer comes.";
        client "client-writes/value-removed" Breaking
            "Codex refuses it.";
    }
    ValueRenamed {
        codex "codex-writes/value-renamed" Breaking
            "What a client knows comes in a spelling it does not know.";
        client "client-writes/value-renamed" Breaking
            "Codex does not know the old spelling.";
    }
    EnumOpened {
        codex "codex-writes/enum-opened" Maybe
            "A client that takes the list for complete meets other values.";
        client "client-writes/enum-opened" Compatible
            "What was taken is still taken.";
    }
    EnumClosed {
        codex "codex-writes/enum-closed" Compatible
            "What comes was to be expected before.";
        client "client-writes/enum-closed" Breaking
            "Codex refuses other values.";
    }
    VariantAdded {
        codex "codex-writes/variant-added" Maybe
            "A client that takes the variants for complete cannot read it.";
        client "client-writes/variant-added" Compatible
            "Nobody has to use it.";
    }
    VariantRemoved {
        codex "codex-writes/variant-removed" Compatible
            "It no longer comes.";
        client "client-writes/variant-removed" Breaking
            "Codex refuses it.";
    }
    VariantRenamed {
        codex "codex-writes/variant-renamed" Breaking
            "What a client knows comes under a tag it does not know.";
        client "client-writes/variant-renamed" Breaking
            "Codex does not know the old tag.";
    }
    TagRenamed {
        codex "codex-writes/tag-renamed" Breaking
            "A client cannot tell what it has before it.";
        client "client-writes/tag-renamed" Breaking
            "Codex cannot tell what it has before it.";
    }
    ObjectOpened {
        codex "codex-writes/object-opened" Maybe
            "A client that forbids undeclared members may meet some.";
        client "client-writes/object-opened" Compatible
            "What was taken is still taken.";
    }
    ObjectClosed {
        codex "codex-writes/object-closed" Compatible
            "What comes was to be expected before.";
        client "client-writes/object-closed" Breaking
            "Codex refuses undeclared members, which it ignored.";
    }
    BoundsWidened {
        codex "codex-writes/bounds-widened" Breaking
            "A client meets numbers beyond what it was promised.";
        client "client-writes/bounds-widened" Compatible
            "What was taken is still taken.";
    }
    BoundsNarrowed {
        codex "codex-writes/bounds-narrowed" Compatible
            "What comes was to be expected before.";
        client "client-writes/bounds-narrowed" Breaking
            "Codex refuses some numbers it took.";
    }
    ConstraintChanged {
        codex "codex-writes/constraint-changed" Unknown
            "The sets of values have to be compared.";
        client "client-writes/constraint-changed" Unknown
            "The sets of values have to be compared.";
    }
    FormatChanged {
        codex "codex-writes/format-changed" Compatible
            "A format says what a value is for; it validators nothing.";
        client "client-writes/format-changed" Compatible
            "A format says what a value is for; it validators nothing.";
    }
    DefinitionRenamed {
        codex "codex-writes/definition-renamed" Compatible
            "The wire is the same; generated code has another name.";
        client "client-writes/definition-renamed" Compatible
            "The wire is the same; generated code has another name.";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_has_a_rule_in_either_direction() {
        for change in Change::ALL {
            for direction in Direction::ALL {
                let of = |rule: &&Rule| rule.change == *change && rule.direction == direction;
                let found: Vec<_> = RULES.iter().filter(of).collect();
                let plain = found.iter().filter(|rule| !rule.closed).count();
                assert_eq!(plain, 1, "{change:?} {direction:?}");
                for closed in [false, true] {
                    let chosen = rule(*change, direction, closed);
                    assert_eq!((chosen.change, chosen.direction), (*change, direction));
                }
                for rule in found {
                    assert!(rule.id.starts_with(direction.as_str()), "{}", rule.id);
                    assert!(rule.id.contains(change.as_str()), "{}", rule.id);
                }
            }
        }
    }

    #[test]
    fn reversing_twice_changes_nothing() {
        for change in Change::ALL {
            assert_eq!(change.reversed().reversed(), *change);
        }
    }
}
