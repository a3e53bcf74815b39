//! Changes to a line after which it must still come back whole.

use super::tree::Node;

/// A small random generator with a seed, so that a failure can be repeated.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// Maps, whose member names are data: what stands in them is typed whatever its name.
const MAPS: &[&str] = &["agents_states"];

/// Members whose second occurrence has a meaning, and so a type, of its own.
const TWICE: &[&str] = &["id"];

/// Members that hold a tag or a value of an enumeration wherever they are strings.
const NAMED: &[&str] = &["type", "item_type", "status", "kind", "tool"];

/// Values no type asks for.
const VALUES: &[&str] = &[
    "null",
    "1.50",
    "-0",
    "1E+3",
    r#""\u00e9\/""#,
    r#"[ 1, {"b":1,"a":[ ]} ]"#,
    r#"{"z":0,"z":{"type":1}}"#,
];

const NAMES: &[&str] = &["x_new", "x_New two", "x_", "x_\u{2028}", "x_\"/~"];

/// Visits every object, innermost first, with the name of the member it is the value of.
fn objects(node: &mut Node, name: &str, edit: &mut impl FnMut(&str, &mut Vec<(String, Node)>)) {
    match node {
        Node::Scalar(_) => {}
        Node::Array(elements) => {
            for element in elements {
                objects(element, name, edit);
            }
        }
        Node::Object(members) => {
            for (key, value) in members.iter_mut() {
                objects(value, key, edit);
            }
            edit(name, members);
        }
    }
}

/// Puts the members of every object into another order. Members of the same name keep theirs:
/// which comes first decides what they mean.
pub(crate) fn shuffle(node: &mut Node, random: &mut Random) {
    objects(node, "", &mut |_, members| {
        let before = members.clone();
        for index in (1..members.len()).rev() {
            members.swap(index, random.below(index + 1));
        }
        let mut taken = vec![false; before.len()];
        for (key, value) in members {
            let next = (0..before.len()).find(|index| !taken[*index] && before[*index].0 == *key);
            let next = next.expect("the same names as before");
            taken[next] = true;
            value.clone_from(&before[next].1);
        }
    });
}

/// Adds members no release writes, anywhere in the objects.
pub(crate) fn add_unknown_members(node: &mut Node, random: &mut Random) {
    objects(node, "", &mut |name, members| {
        while !MAPS.contains(&name) && random.one_in(2) {
            let at = random.below(members.len() + 1);
            let value = Node::Scalar(random.pick(VALUES).to_owned());
            members.insert(at, (random.pick(NAMES).to_owned(), value));
        }
    });
}

/// Writes members twice: the second time with any value behind all others.
pub(crate) fn double_members(node: &mut Node, random: &mut Random) {
    objects(node, "", &mut |name, members| {
        for index in 0..members.len() {
            if random.one_in(3) {
                let (key, value) = members[index].clone();
                let typed = MAPS.contains(&name) || TWICE.contains(&key.as_str());
                let second = if typed {
                    value
                } else {
                    Node::Scalar(random.pick(VALUES).to_owned())
                };
                members.push((key, second));
            }
        }
    });
}

/// Replaces tags and values of enumerations by unknown ones.
pub(crate) fn rename_kinds(node: &mut Node, random: &mut Random) {
    objects(node, "", &mut |_, members| {
        for (key, value) in members {
            if let Node::Scalar(text) = value
                && text.starts_with('"')
                && NAMED.contains(&key.as_str())
                && random.one_in(2)
            {
                *text = r#""x.new\n""#.to_owned();
            }
        }
    });
}

/// White space of every sort JSON has.
pub(crate) fn odd_space(random: &mut Random) -> &'static str {
    random.pick(&["", "", "", " ", "\t", "\n", "\r\n", "   "])
}
