//! Tests of the tables, over recordings of real binaries.
