//! The messages of OTLP, as its JSON has them: ids in hexadecimal digits, integers of 64 bits as text, enumerations
//! as numbers.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

/// An `ExportTraceServiceRequest`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Traces<'a> {
    pub(crate) resource_spans: Vec<ResourceSpans<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResourceSpans<'a> {
    pub(crate) resource: Resource<'a>,
    pub(crate) scope_spans: Vec<ScopeSpans<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) schema_url: Option<&'static str>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Resource<'a> {
    pub(crate) attributes: Attributes<'a>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScopeSpans<'a> {
    pub(crate) scope: Scope,
    pub(crate) spans: Vec<Span<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) schema_url: Option<&'static str>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Scope {
    pub(crate) name: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Span<'a> {
    pub(crate) trace_id: TraceId,
    pub(crate) span_id: SpanId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) parent_span_id: Option<SpanId>,
    pub(crate) name: Cow<'a, str>,
    pub(crate) kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) start_time_unix_nano: Option<Nanos>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end_time_unix_nano: Option<Nanos>,
    pub(crate) attributes: Attributes<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) events: Vec<Event<'a>>,
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) dropped_events_count: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<Status<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Event<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) time_unix_nano: Option<Nanos>,
    pub(crate) name: Cow<'a, str>,
    pub(crate) attributes: Attributes<'a>,
}

/// That something failed. OTLP calls what did not fail unset, unless somebody says that it went well.
#[derive(Debug, Serialize)]
pub(crate) struct Status<'a> {
    pub(crate) code: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<Cow<'a, str>>,
}

impl<'a> Status<'a> {
    pub(crate) fn error(message: Option<Cow<'a, str>>) -> Self {
        Status { code: 2, message }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Internal,
    Client,
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(match self {
            Kind::Internal => 1,
            Kind::Client => 3,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TraceId(pub(crate) u128);

impl Serialize for TraceId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:032x}", self.0))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SpanId(pub(crate) u64);

impl Serialize for SpanId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:016x}", self.0))
    }
}

/// Nanoseconds since the beginning of 1970.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nanos(pub(crate) u64);

impl Serialize for Nanos {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// Names with values.
#[derive(Debug, Default, Serialize)]
#[serde(transparent)]
pub(crate) struct Attributes<'a>(Vec<Attribute<'a>>);

#[derive(Debug, Serialize)]
struct Attribute<'a> {
    key: &'static str,
    value: AnyValue<'a>,
}

#[derive(Debug, Serialize)]
enum AnyValue<'a> {
    #[serde(rename = "stringValue")]
    Text(Cow<'a, str>),
    #[serde(rename = "boolValue")]
    Flag(bool),
    #[serde(rename = "intValue")]
    Number(String),
}

impl<'a> Attributes<'a> {
    pub(crate) fn text(&mut self, key: &'static str, value: impl Into<Cow<'a, str>>) {
        self.push(key, AnyValue::Text(value.into()));
    }

    /// A text that may be absent.
    pub(crate) fn known(&mut self, key: &'static str, value: Option<&'a str>) {
        if let Some(value) = value {
            self.text(key, value);
        }
    }

    /// A text that may be absent, of something that the attributes outlive.
    pub(crate) fn owned(&mut self, key: &'static str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(key, value.to_owned());
        }
    }

    pub(crate) fn number(&mut self, key: &'static str, value: i64) {
        self.push(key, AnyValue::Number(value.to_string()));
    }

    /// A count. OTLP has no numbers beyond 63 bits.
    pub(crate) fn count(&mut self, key: &'static str, value: u64) {
        self.number(key, i64::try_from(value).unwrap_or(i64::MAX));
    }

    /// A count that is absent if it is zero: not every source counts it.
    pub(crate) fn some(&mut self, key: &'static str, value: u64) {
        if value > 0 {
            self.count(key, value);
        }
    }

    /// Whether something is so; absent if not.
    pub(crate) fn flag(&mut self, key: &'static str, value: bool) {
        if value {
            self.push(key, AnyValue::Flag(true));
        }
    }

    fn push(&mut self, key: &'static str, value: AnyValue<'a>) {
        self.0.push(Attribute { key, value });
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}
