//! Random values of a schema, made from nothing but the schema: the keywords the projections
//! use, each alternative of a union equally likely.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::{BoxedStrategy, Union};
use serde_json::{Map, Value, json};

/// Values that `root` accepts.
pub(crate) fn of_schema(root: &Value) -> BoxedStrategy<Value> {
    let maker = Rc::new(Maker {
        root: root.clone(),
        made: RefCell::default(),
    });
    maker.node(root)
}

struct Maker {
    root: Value,
    /// Definitions by their pointers; nothing while one is being made.
    made: RefCell<BTreeMap<String, Option<BoxedStrategy<Value>>>>,
}

impl Maker {
    /// A definition, made once. One that holds itself is looked up where a value comes up.
    fn definition(self: &Rc<Self>, reference: &str) -> BoxedStrategy<Value> {
        let pointer = reference.strip_prefix('#').unwrap();
        let known = self.made.borrow().get(pointer).cloned();
        match known {
            Some(Some(made)) => made,
            Some(None) => {
                let (maker, pointer) = (Rc::clone(self), pointer.to_owned());
                Just(())
                    .prop_flat_map(move |()| maker.made.borrow()[&pointer].clone().unwrap())
                    .boxed()
            }
            None => {
                self.made.borrow_mut().insert(pointer.to_owned(), None);
                let made = self.node(self.root.pointer(pointer).unwrap());
                let mut all = self.made.borrow_mut();
                all.insert(pointer.to_owned(), Some(made.clone()));
                made
            }
        }
    }

    fn node(self: &Rc<Self>, schema: &Value) -> BoxedStrategy<Value> {
        if let Some(reference) = schema.get("$ref") {
            return self.definition(reference.as_str().unwrap());
        }
        // Members of which one has to be there.
        if let (Some(_), Some(branches)) = (schema.get("properties"), schema.get("anyOf")) {
            let with = |branch: &Value| {
                let mut schema = schema.clone();
                let required = schema["required"].as_array_mut().unwrap();
                required.extend(branch["required"].as_array().unwrap().iter().cloned());
                schema.as_object_mut().unwrap().remove("anyOf");
                self.node(&schema)
            };
            return Union::new(branches.as_array().unwrap().iter().map(with)).boxed();
        }
        // One alternative of one: a reference with siblings is wrapped so.
        for keyword in ["allOf", "oneOf", "anyOf"] {
            if let Some(branches) = schema.get(keyword) {
                let branches = branches
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|branch| self.node(branch));
                return Union::new(branches).boxed();
            }
        }
        if let Some(constant) = schema.get("const") {
            return Just(constant.clone()).boxed();
        }
        if let Some(values) = schema.get("enum") {
            return select(values.as_array().unwrap().clone()).boxed();
        }
        match schema.get("type") {
            None => codex_wire::generate::json(),
            Some(Value::Array(kinds)) => {
                Union::new(kinds.iter().map(|kind| self.of_type(kind, schema))).boxed()
            }
            Some(kind) => self.of_type(kind, schema),
        }
    }

    fn of_type(self: &Rc<Self>, kind: &Value, schema: &Value) -> BoxedStrategy<Value> {
        match kind.as_str().unwrap() {
            "null" => Just(Value::Null).boxed(),
            "boolean" => any::<bool>().prop_map(Value::from).boxed(),
            "string" if schema.get("pattern").is_some() => base64(schema),
            "string" if schema["minLength"] == json!(1) => filled(),
            "string" => strings(),
            "integer" => integers(schema),
            "number" => prop_oneof![
                (-1e6..1e6f64).prop_map(Value::from),
                any::<i64>().prop_map(Value::from),
            ]
            .boxed(),
            "array" => prop::collection::vec(self.node(&schema["items"]), 0..3)
                .prop_map(Value::from)
                .boxed(),
            "object" => self.object(schema),
            other => panic!("{other} is not among the types our schemas use"),
        }
    }

    fn object(self: &Rc<Self>, schema: &Value) -> BoxedStrategy<Value> {
        let Some(properties) = schema.get("properties") else {
            return prop::collection::btree_map(
                "[a-z0-9~/-]{1,6}",
                self.node(&schema["additionalProperties"]),
                0..3,
            )
            .prop_map(|entries| Value::Object(entries.into_iter().collect()))
            .boxed();
        };
        let required = schema["required"].as_array().unwrap();
        let closed = schema.get("additionalProperties") == Some(&json!(false));
        let mut members: Vec<BoxedStrategy<Vec<(String, Value)>>> = Vec::new();
        for (name, property) in properties.as_object().unwrap() {
            let name = name.clone();
            let present = self.node(property).prop_map({
                let name = name.clone();
                move |value| vec![(name.clone(), value)]
            });
            members.push(if required.contains(&Value::from(name)) {
                present.boxed()
            } else {
                prop_oneof![present, Just(Vec::new())].boxed()
            });
        }
        if !closed {
            let unknown = ("x_[a-z]{1,3}", codex_wire::generate::json());
            members.push(
                prop_oneof![3 => Just(Vec::new()), 1 => unknown.prop_map(|m| vec![m])].boxed(),
            );
        }
        members
            .prop_map(|members| Value::Object(Map::from_iter(members.into_iter().flatten())))
            .boxed()
    }
}

/// Texts that are not empty.
fn filled() -> BoxedStrategy<Value> {
    let is_filled = |value: &Value| value != "";
    strings().prop_filter("it is empty", is_filled).boxed()
}

fn strings() -> BoxedStrategy<Value> {
    prop_oneof![
        "[a-z 0-9/._-]{0,8}",
        "[\u{2028}\u{2029}\"\\\\é😀\u{1}\n]{1,3}",
    ]
    .prop_map(Value::from)
    .boxed()
}

/// Texts of the one pattern there is.
fn base64(schema: &Value) -> BoxedStrategy<Value> {
    assert_eq!(schema["contentEncoding"], "base64");
    "([A-Za-z0-9+/]{4}){0,3}([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?"
        .prop_map(Value::from)
        .boxed()
}

/// Whole numbers between the bounds, the bounds themselves not seldom.
fn integers(schema: &Value) -> BoxedStrategy<Value> {
    let min = schema["minimum"].as_i64().unwrap();
    let max = &schema["maximum"];
    // Bounds beyond i64 are those of u64.
    let top = max.as_i64().unwrap_or(i64::MAX);
    prop_oneof![
        2 => (min.max(-9)..=99).prop_map(Value::from),
        1 => (min..=top).prop_map(Value::from),
        1 => select(vec![Value::from(min), max.clone()]),
    ]
    .boxed()
}
