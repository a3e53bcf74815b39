//! The schema of the params and of the result of each method.

use codex_wire_base::{Protocol, Release};
use codex_wire_schema::{MethodKind, MethodPart, Profile, Stability, method_schema, methods};
use serde_json::{Value, json};

fn schema(method: &str, part: MethodPart, release: Release) -> Option<Value> {
    let (profile, stability) = (Profile::Exact, Stability::Experimental);
    method_schema(method, part, release, profile, stability)
}

fn accepts(schema: &Value, value: &Value) -> bool {
    jsonschema::is_valid(schema, value)
}

#[test]
fn a_result_is_checked_by_the_method_of_its_request() {
    let release = Release::new(0, 169, 0);
    let result = schema("turn/steer", MethodPart::Result, release).expect("a request");
    assert!(accepts(&result, &json!({"turnId": "t"})));
    assert!(!accepts(&result, &json!({})));
    assert!(!accepts(&result, &json!({"turnId": 7})));
    // What a client answers.
    let method = "item/commandExecution/requestApproval";
    let result = schema(method, MethodPart::Result, release).expect("a request");
    assert!(accepts(&result, &json!({"decision": "accept"})));
    assert!(!accepts(&result, &json!({"decision": "perhaps"})));
}

#[test]
fn params_are_checked_by_their_method() {
    let release = Release::new(0, 169, 0);
    let params = schema("turn/interrupt", MethodPart::Params, release).expect("has params");
    assert!(accepts(&params, &json!({"threadId": "t", "turnId": "u"})));
    assert!(!accepts(&params, &json!({"threadId": "t"})));
}

#[test]
fn the_schema_is_that_of_the_release() {
    let before = schema("turn/start", MethodPart::Params, Release::new(0, 58, 0));
    let after = schema("turn/start", MethodPart::Params, Release::new(0, 169, 0));
    assert_ne!(before.expect("has params"), after.expect("has params"));
    let early = schema("turn/steer", MethodPart::Result, Release::new(0, 98, 0));
    assert_eq!(early, None);
    assert_eq!(
        schema("poem/read", MethodPart::Result, Release::new(0, 169, 0)),
        None
    );
}

/// Every definition that a schema names is in it, and each request has a result.
#[test]
fn every_method_has_its_schemas() {
    let list = Protocol::AppServer.release_list();
    let mut tried = 0;
    for method in methods() {
        let release = method.availability.until.unwrap_or(list.latest());
        let result = schema(method.name, MethodPart::Result, release);
        let is_request = method.kind == MethodKind::Request;
        assert_eq!(result.is_some(), is_request, "{}", method.name);
        let params = schema(method.name, MethodPart::Params, release);
        assert!(
            params.is_some() || method.params.is_empty(),
            "{}",
            method.name
        );
        for schema in result.iter().chain(&params) {
            let made = jsonschema::validator_for(schema);
            assert!(made.is_ok(), "{}: {:?}", method.name, made.err());
            tried += 1;
        }
    }
    assert!(tried > 300, "only {tried} schemas");
}
