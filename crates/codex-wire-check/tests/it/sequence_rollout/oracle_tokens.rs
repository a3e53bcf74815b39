//! What counts of tokens in a session file demand, as the oracle sees it.

use std::collections::BTreeMap;

use super::oracle::{Story, may_begin};

impl Story<'_> {
    /// Each count is the count before plus what was added, and says what the record before it says.
    pub(super) fn tokens(&self) -> bool {
        let of = |at: usize, pointer: &str| -> Option<BTreeMap<String, u64>> {
            let counts = self.lines[at].payload().pointer(pointer)?.as_object()?;
            let counts = counts.iter();
            Some(
                counts
                    .filter_map(|(name, count)| Some((name.clone(), count.as_u64()?)))
                    .collect(),
            )
        };
        let adds =
            |before: &BTreeMap<String, u64>, now: &BTreeMap<String, u64>, by: &BTreeMap<_, _>| {
                now.iter().all(|(name, now)| {
                    let by: Option<&u64> = by.get(name);
                    let before = before.get(name).copied().unwrap_or(0);
                    by.is_none_or(|by| before + by == *now)
                })
            };
        let mut total = (!self.has_base()).then(BTreeMap::new);
        for at in self.of(|kind| kind == "event token_count") {
            let now = of(at, "/info/total_token_usage");
            let by = of(at, "/info/last_token_usage").unwrap_or_default();
            let counted = total.as_ref().is_some_and(|total| !total.is_empty());
            let (Some(before), Some(now)) = (&total, &now) else {
                if counted && self.since(80) && self.lines[at].payload()["info"].is_null() {
                    return false;
                }
                total = now.or(total.filter(|_| !counted || self.since(80)));
                continue;
            };
            let falls = now
                .iter()
                .any(|(name, now)| before.get(name).is_some_and(|b| b > now));
            if falls && self.since(80) {
                return false;
            }
            if !falls && before != now && !adds(before, now, &by) && self.since(42) {
                return false;
            }
            total = Some(now.clone());
        }
        let mut thread = (!self.has_base()).then(BTreeMap::new);
        let mut turn = (None, BTreeMap::new());
        for at in self.of(|kind| kind == "token_usage_record") {
            let by = of(at, "/usage").unwrap_or_default();
            let now = of(at, "/thread_token_usage").unwrap_or_default();
            let own = of(at, "/turn_token_usage").unwrap_or_default();
            if turn.0 != self.running[at] {
                turn = (self.running[at], BTreeMap::new());
            }
            if thread.is_some_and(|thread| !adds(&thread, &now, &by)) || !adds(&turn.1, &own, &by) {
                return false;
            }
            thread = Some(now);
            turn.1 = own;
            let behind = at + 1..self.lines.len();
            let mut behind = behind.take_while(|at| !may_begin(&self.kinds[*at]));
            let of_usage = ["event token_count", "token_usage_record"];
            let next = behind.find(|at| of_usage.contains(&self.kinds[*at].as_str()));
            let last = next.and_then(|next| of(next, "/info/last_token_usage"));
            if last.is_some_and(|last| last.iter().any(|(name, count)| by.get(name) != Some(count)))
            {
                return false;
            }
        }
        true
    }
}
