//! Shows rows as text, and finds recordings.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Date32Type, Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use codex_wire_table::{Partition, Rows, Sink, Table, Tables, Transcript};
use golden_files::files;

/// Takes the rows of one transcript after the other.
pub(crate) struct All(pub(crate) Rows);

impl All {
    pub(crate) fn new(with_text: bool) -> Self {
        All(Rows::new(Table::ALL, with_text))
    }
}

impl Sink for All {
    fn rows(&mut self, _: Partition) -> &mut Rows {
        &mut self.0
    }
}

/// The rows of a transcript, by table.
pub(crate) fn tables_of(path: &str, text: &[u8], with_text: bool) -> Vec<(Table, RecordBatch)> {
    let mut all = All::new(with_text);
    let transcript = Transcript::new(path).contents("digest", text.len() as u64);
    Tables::new()
        .read(transcript, text, &mut all)
        .expect("it takes rows");
    all.0.take().expect("batches")
}

/// The rows of a table of these.
pub(crate) fn rows_of(tables: &[(Table, RecordBatch)], table: Table) -> Vec<Vec<(String, String)>> {
    let batches = tables.iter().filter(|(of, _)| *of == table);
    batches.flat_map(|(_, batch)| rows(batch)).collect()
}

/// The rows of a batch: the cells that are known, with the names of their columns.
pub(crate) fn rows(batch: &RecordBatch) -> Vec<Vec<(String, String)>> {
    let schema = batch.schema();
    let row = |row: usize| {
        let cells = schema.fields().iter().zip(batch.columns());
        let known = cells.filter(|(_, column)| column.is_valid(row));
        known
            .map(|(field, column)| (field.name().clone(), shown(column, row)))
            .collect()
    };
    (0..batch.num_rows()).map(row).collect()
}

/// The cell of a column in these rows.
pub(crate) fn cell<'r>(row: &'r [(String, String)], name: &str) -> Option<&'r str> {
    let (_, cell) = row.iter().find(|(column, _)| column == name)?;
    Some(cell)
}

/// The sum of a column.
pub(crate) fn sum(rows: &[Vec<(String, String)>], name: &str) -> u64 {
    let cells = rows.iter().filter_map(|row| cell(row, name));
    cells
        .map(|cell| cell.parse::<u64>().expect("a number"))
        .sum()
}

fn shown(column: &dyn Array, row: usize) -> String {
    match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row).to_owned(),
        DataType::Int64 => column.as_primitive::<Int64Type>().value(row).to_string(),
        DataType::Boolean => column.as_boolean().value(row).to_string(),
        DataType::Timestamp(..) => {
            let time = column.as_primitive::<TimestampMicrosecondType>().value(row);
            assert_eq!(time % 1000, 0, "the model has milliseconds");
            let time = codex_wire_session::Time::from_ms(time / 1000).expect("a time");
            time.to_string()
        }
        DataType::Date32 => column.as_primitive::<Date32Type>().value(row).to_string(),
        DataType::List(_) => {
            let names = column.as_list::<i32>().value(row);
            let names: Vec<&str> = names.as_string::<i32>().iter().flatten().collect();
            format!("[{}]", names.join(", "))
        }
        other => panic!("no column is {other}"),
    }
}

/// All tables as text: a line for each row, with the cells that are known.
pub(crate) fn text(tables: &[(Table, RecordBatch)]) -> String {
    let mut out = String::new();
    for (table, batch) in tables {
        for row in rows(batch) {
            let _ = write!(out, "{table}");
            for (name, cell) in row {
                if *table == Table::Transcripts
                    || !["path", "digest", "day", "protocol"].contains(&&*name)
                {
                    let _ = write!(out, " {name}={cell:?}");
                }
            }
            out.push('\n');
        }
    }
    out
}

/// The folder of recordings.
pub(crate) fn fixtures() -> PathBuf {
    files::root().join("fixtures")
}

/// The bytes of a recording, unpacked.
pub(crate) fn bytes(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    match path.extension().is_some_and(|ending| ending == "zst") {
        true => zstd::decode_all(&*bytes).expect("zstd"),
        false => bytes,
    }
}
