//! The faults: a file for each, with all that it says and does.

use super::fault::Fault;

mod byte_by_byte;
mod crash_mid_line;
mod exit_without_end;
mod future_item;
mod future_member;
mod future_method;
mod future_value;
mod ignores_sigterm;
mod line_separator;
mod long_line;
mod rpc_error;
mod rpc_id_as_text;
mod rpc_late;
mod rpc_reordered;
mod slow_start;
mod split_writes;
mod stderr_flood;
mod stdout_noise;
mod turn_fails;
mod turn_interrupted;
mod turn_never_ends;

/// Lists the files of this folder, in the order of the documentation.
macro_rules! fault_files {
    ($($file:ident),* $(,)?) => {
        /// All faults, in the order of the documentation. Faults of one session act in this order.
        pub static FAULTS: &[&Fault] = &[$(&$file::FAULT),*];
    };
}

fault_files!(
    turn_fails,
    turn_interrupted,
    turn_never_ends,
    future_member,
    future_method,
    future_item,
    future_value,
    split_writes,
    byte_by_byte,
    line_separator,
    long_line,
    stdout_noise,
    stderr_flood,
    rpc_error,
    rpc_late,
    rpc_id_as_text,
    rpc_reordered,
    crash_mid_line,
    exit_without_end,
    ignores_sigterm,
    slow_start,
);

/// The fault of that id, with or without `fault/` before it.
pub fn find(id: &str) -> Option<&'static Fault> {
    let short = id.strip_prefix("fault/").unwrap_or(id);
    FAULTS.iter().copied().find(|fault| fault.short() == short)
}
