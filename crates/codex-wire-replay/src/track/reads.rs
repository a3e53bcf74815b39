//! Finds the reads of a track, which are answered again and again.

use std::collections::HashMap;

use super::Track;

/// The reads of a track by method. Those that sent the same are together, each in the order of the
/// recording: a client that polls sends the same again and again.
pub(crate) type Reads = HashMap<String, Vec<Vec<usize>>>;

/// The reads of a track.
pub(crate) fn reads(track: &Track) -> Reads {
    let mut reads = Reads::new();
    let mut known = HashMap::new();
    for (at, step) in track.steps.iter().enumerate() {
        if let Some(method) = step.method().filter(|_| step.is_pooled()) {
            let of_method = reads.entry(method.to_owned()).or_default();
            let group = *known
                .entry((method, &step.content))
                .or_insert(of_method.len());
            if group == of_method.len() {
                of_method.push(Vec::new());
            }
            of_method[group].push(at);
        }
    }
    reads
}
