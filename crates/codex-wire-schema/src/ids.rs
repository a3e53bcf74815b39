//! The ids of published documents: where each of them is, below one address.

use codex_wire_base::{MessageSet, Release};

use crate::bundle_name::BundleName;
use crate::draft::Draft;
use crate::profile::Profile;
use crate::stability::Stability;

/// The address that the ids of all documents begin with. `packages/project.json` states it too, for
/// packages in other languages.
pub const BASE: &str = "https://codex-wire.github.io/codex-wire/schemas/";

/// What the id of a document says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identity {
    /// The message set that it describes.
    pub message_set: MessageSet,
    /// How strict it is; `None` if it describes all releases or is for generators of code.
    pub profile: Option<Profile>,
    /// Whether it leaves out the experimental API.
    pub is_stable: bool,
    /// The draft it is in.
    pub draft: Draft,
}

impl Identity {
    /// Reads an id of ours; `None` if it is none.
    pub fn of(id: &str) -> Option<Identity> {
        let (folder_name, file) = id.strip_prefix(BASE)?.rsplit_once('/')?;
        let mut message_sets = MessageSet::ALL.iter().copied();
        let message_set = message_sets.find(|message_set| folder(*message_set) == folder_name)?;
        let rest = file.strip_suffix(".json")?;
        let (rest, draft) = match rest.strip_suffix(DRAFT_07) {
            Some(rest) => (rest, Draft::Draft07),
            None => (rest, Draft::Draft202012),
        };
        let mut halves = Stability::ALL.into_iter();
        let half = halves.find_map(|half| {
            let rest = rest.strip_suffix(half.as_str())?.strip_suffix('.')?;
            Some((rest, half))
        });
        let (rest, is_stable) = match half {
            Some((rest, half)) => (rest, half == Stability::Stable),
            None => (rest, false),
        };
        let (_, word) = rest.rsplit_once('.').unwrap_or(("", rest));
        Some(Identity {
            message_set,
            profile: word.parse().ok(),
            is_stable,
            draft,
        })
    }
}

const DRAFT_07: &str = ".draft-07";

/// The path of a projection below [`BASE`]: stable for all time, as it names the first of the
/// releases that speak alike.
pub(crate) fn path(
    message_set: MessageSet,
    release: &str,
    profile: Profile,
    draft: Draft,
    stability: Stability,
) -> String {
    let half = match message_set.has_stabilities() {
        true => format!(".{stability}"),
        false => String::new(),
    };
    let suffix = match draft {
        Draft::Draft202012 => "",
        Draft::Draft07 => DRAFT_07,
    };
    let folder = folder(message_set);
    format!("{folder}/{release}.{profile}{half}{suffix}.json")
}

/// The id of a projection.
pub(crate) fn id(
    message_set: MessageSet,
    since: Release,
    profile: Profile,
    draft: Draft,
    stability: Stability,
) -> String {
    let path = path(message_set, &since.to_string(), profile, draft, stability);
    format!("{BASE}{path}")
}

/// The path of a schema for generators of code below [`BASE`].
pub(crate) fn path_of_codegen(name: BundleName, release: &str, draft: Draft) -> String {
    let suffix = match draft {
        Draft::Draft202012 => "",
        Draft::Draft07 => DRAFT_07,
    };
    format!("{name}/{release}.codegen{suffix}.json")
}

/// The path of the document of all releases below [`BASE`].
pub(crate) fn path_of_all(message_set: MessageSet) -> String {
    format!("{}/all-releases.json", folder(message_set))
}

/// The folder of a message set.
fn folder(message_set: MessageSet) -> String {
    let name = message_set.as_str();
    match name.strip_prefix("app-server-") {
        Some(part) => format!("app-server/{part}"),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_back() {
        for message_set in MessageSet::ALL.iter().copied() {
            let all = Identity::of(&format!("{BASE}{}", path_of_all(message_set))).unwrap();
            assert_eq!((all.message_set, all.profile), (message_set, None));
            let since = message_set.release_list().latest();
            for profile in Profile::ALL {
                for draft in Draft::ALL {
                    for stability in Stability::ALL {
                        let id = id(message_set, since, profile, draft, stability);
                        let half = message_set.has_stabilities();
                        let expected = Identity {
                            message_set,
                            profile: Some(profile),
                            is_stable: half && stability == Stability::Stable,
                            draft,
                        };
                        assert_eq!(Identity::of(&id), Some(expected), "{id}");
                    }
                }
            }
        }
        for other in [
            "urn:codex-wire:exec:0.44.0:open",
            BASE,
            "exec/0.44.0.open.json",
        ] {
            assert_eq!(Identity::of(other), None);
        }
    }
}
