//! The macros that declare rules, and text that several rules share.

/// Declares rules, and the ways in which they are broken.
///
/// Each entry is the name of a static, in braces fields of [`Rule`](crate::rule::Rule), and behind `=>` the types of its
/// violations: their fields, and the words for it, which name the fields.
///
/// ```ignore
/// rules! {
///     USAGE_DECREASES {
///         summary: "token counts do not fall from turn to turn",
///         id: "sequence/exec-tokens-fall",
///         about: EXEC,
///         explanation: "…",
///         evidence: streams!("None breaks it."),
///     } => {
///         UsageFalls { name: Word, before: u64, now: u64 }: "`{name}` falls from {before} to {now}",
///     }
/// }
/// ```
///
/// - `summary` comes first, because it is also the doc comment of the static.
/// - `summary`, `id`, `explanation` and `evidence` are always needed; `about` for the groups
///   `sequence`, `rpc` and `hooks`. `tests/it/rules.rs` checks this.
/// - The other fields have the values of [`Rule::BASE`](crate::rule::Rule::BASE) if they are left out: level error, checked in
///   all releases, no exceptions, status holds.
/// - Releases are written with `since`, `until`, `between` and `v` of [`rule`](crate::rule): `since(v(92))` means
///   0.92.0 and later. An alpha is `Release::alpha(0, 43, 0, 5)`.
/// - The type of a violation implements [`Broken`](crate::violation::Broken).
///
/// The macro also makes `ALL`, the rules of this file, which are in the registry with that: `mod.rs`
/// of the folder lists its files with rules.
macro_rules! rules {
    ($(
        $name:ident { summary: $summary:expr, $($field:ident: $value:expr),* $(,)? }
        $(=> { $(
            $(#[$doc:meta])*
            $broken:ident $({ $($member:ident: $type:ty),* $(,)? })?: $text:literal
        ),* $(,)? })?
    )*) => {
        $(
            #[doc = $summary]
            pub(crate) static $name: $crate::rule::Rule = $crate::rule::Rule {
                summary: $summary,
                messages: &[$($($text),*)?],
                $($field: $value,)*
                ..$crate::rule::Rule::BASE
            };
            $($(
                $crate::rule_macros::broken! {
                    $(#[$doc])* $name $broken $({ $($member: $type),* })? $text
                }
            )*)?
        )*

        /// The rules of this file.
        pub(crate) static ALL: $crate::rule::Rules = $crate::rule::Rules::File(&[$(&$name),*]);
    };
}

/// Declares the type of a violation.
macro_rules! broken {
    ($(#[$doc:meta])* $rule:ident $broken:ident $text:literal) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $broken;

        $crate::rule_macros::broken! { @words $rule $broken {} $text }
    };
    ($(#[$doc:meta])* $rule:ident $broken:ident { $($member:ident: $type:ty),* } $text:literal) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $broken {
            $(pub(crate) $member: $type,)*
        }

        $crate::rule_macros::broken! { @words $rule $broken { $($member),* } $text }
    };
    (@words $rule:ident $broken:ident { $($member:ident),* } $text:literal) => {
        impl ::std::fmt::Display for $broken {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let Self { $($member),* } = self;
                ::std::write!(f, $text)
            }
        }

        impl $crate::violation::Broken for $broken {
            const RULE: &'static $crate::rule::Rule = &$rule;
        }
    };
}

/// Lists the files of a folder that have rules: `rule_files!(items, run)`.
macro_rules! rule_files {
    ($($file:ident),* $(,)?) => {
        /// The rules of the files of this folder.
        pub(crate) static ALL: $crate::rule::Rules = $crate::rule::Rules::Folder(&[$(&$file::ALL),*]);
    };
}

/// Evidence of a rule of the app-server: the recordings it was checked on, then `$text`.
macro_rules! connections {
    ($text:literal) => {
        concat!(
            "Checked on 1,673 recorded connections of 15 releases from 0.58.0 to 0.169.0. ",
            $text
        )
    };
}

/// The exceptions of a rule that compares a token count with the count it is part of.
macro_rules! parts_of_tokens {
    () => {
        &[$crate::rule::Exception::everywhere(
            $crate::severity::Severity::Warning,
            "Codex copies the counts from the model service. If a service counts in another \
                way, that is not an error of Codex; no such service was recorded",
        )]
    };
}

/// Evidence of a newer rule of the app-server, which was checked on other recordings; then `$text`.
macro_rules! connected {
    ($text:literal) => {
        concat!(
            "Checked on 663 recorded connections of 24 releases from 0.44.0 to 0.169.0. ",
            $text
        )
    };
}

pub(crate) use {broken, connected, connections, parts_of_tokens, rule_files, rules};
