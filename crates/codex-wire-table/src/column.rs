//! What a column is.

use std::sync::Arc;

use arrow_schema::{DataType, Field, TimeUnit};
use serde::Serialize;

/// A column of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What its values are.
    #[serde(rename = "type")]
    pub kind: ColumnType,
    /// What it says.
    pub about: &'static str,
}

/// What the values of a column are. Each may be null: not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ColumnType {
    /// A text: an id, a name, a word.
    Text,
    /// A text that somebody or something said in a session. Null unless it is asked for.
    Content,
    /// A whole number.
    Count,
    /// A whole number that may be negative.
    Number,
    /// Yes or no.
    Flag,
    /// A point in time in UTC.
    Moment,
    /// A day in UTC.
    Day,
    /// Names.
    Names,
}

impl Column {
    pub(crate) const fn new(name: &'static str, kind: ColumnType, about: &'static str) -> Self {
        Column { name, kind, about }
    }

    /// The column of Arrow.
    pub fn field(&self) -> Field {
        Field::new(self.name, self.kind.data_type(), true)
    }
}

impl ColumnType {
    /// The type of Arrow.
    pub fn data_type(self) -> DataType {
        match self {
            ColumnType::Text | ColumnType::Content => DataType::Utf8,
            ColumnType::Count | ColumnType::Number => DataType::Int64,
            ColumnType::Flag => DataType::Boolean,
            ColumnType::Moment => DataType::Timestamp(TimeUnit::Microsecond, Some(UTC.into())),
            ColumnType::Day => DataType::Date32,
            ColumnType::Names => {
                DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true)))
            }
        }
    }
}

/// The zone of all times.
pub(crate) const UTC: &str = "UTC";
