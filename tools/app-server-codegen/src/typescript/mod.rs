//! Reads the types of TypeScript that `generate-ts` writes, as far as they say which members are
//! always there.

mod library;
mod members;
mod parse;

pub use self::library::{Library, Reader};
pub use self::members::{Members, Required};

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn library(files: &[(&str, &str)]) -> Library {
        let code = files.iter();
        let code = code.map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        Reader::default().read(&code.collect()).unwrap()
    }

    fn named(members: &BTreeMap<String, Required>) -> Vec<(&str, bool)> {
        members.iter().map(|(name, it)| (&**name, *it)).collect()
    }

    #[test]
    fn members_are_required_unless_they_have_a_question_mark() {
        let library = library(&[(
            "v2/A",
            "import type { B } from \"../B\";\nexport type A = {\nid: string, b: B | null, \"c-d\"?: Array<{ x?: B }>, };",
        )]);
        let members = library.members("v2/A", None).unwrap();
        assert_eq!(
            named(&members.base),
            [("b", true), ("c-d", false), ("id", true)]
        );
    }

    #[test]
    fn variants_have_what_stands_beside_and_what_they_embed() {
        let library = library(&[
            (
                "v2/Item",
                "import type { Sleep } from \"./Sleep\";\nexport type Item = {\nat?: number, } & ({ \"type\": \"a\", x: string, } | { \"type\": \"sleep\" } & Sleep);",
            ),
            (
                "v2/Sleep",
                "export type Sleep = { ms: number, why?: string, };",
            ),
        ]);
        let members = library.members("v2/Item", Some("type")).unwrap();
        assert_eq!(
            named(&members.variants["a"]),
            [("at", false), ("type", true), ("x", true)]
        );
        assert_eq!(
            named(&members.variants["sleep"]),
            [("at", false), ("ms", true), ("type", true), ("why", false)]
        );
        let base = [
            ("at", false),
            ("ms", false),
            ("type", true),
            ("why", false),
            ("x", false),
        ];
        assert_eq!(named(&members.base), base);
    }

    #[test]
    fn contents_of_kinds_are_found() {
        let library = library(&[(
            "D",
            "export type D = \"yes\" | { \"amended\": { rule: string, note?: string, } } | { [key: string]: number };",
        )]);
        let members = library.members("D", None).unwrap();
        assert_eq!(
            named(&members.contents["amended"]),
            [("note", false), ("rule", true)]
        );
    }

    #[test]
    fn what_is_unknown_is_refused() {
        for text in [
            "export type A = <T>;",
            "type A = string;",
            "export type A = { x }",
        ] {
            let code = [("A".to_owned(), text.to_owned())].into();
            assert!(Reader::default().read(&code).is_err(), "{text}");
        }
    }
}
