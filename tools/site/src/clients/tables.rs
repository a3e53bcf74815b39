//! Reads tables of Markdown that tests write.

/// The cells of a row.
pub(super) type Row = Vec<String>;

/// The table of results of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Results {
    pub(super) releases: Vec<String>,
    /// Each scenario with the words of each release.
    pub(super) scenarios: Vec<(String, Row)>,
    /// The note on each failure, by the number in brackets that stands in the table.
    pub(super) failures: Vec<(String, String)>,
}

/// The first table at or behind a text, with its head; nothing if there is none.
pub(super) fn rows(text: &str, from: &str) -> Vec<Row> {
    let Some(at) = text.find(from) else {
        return Vec::new();
    };
    let lines = text[at..].lines().skip_while(|line| !line.starts_with('|'));
    let lines = lines.take_while(|line| line.starts_with('|'));
    let lines = lines.filter(|line| !line.starts_with("|---"));
    lines.map(cells).collect()
}

/// The results that stand on the page of a client, unless they are of another kind.
pub(super) fn results(text: &str) -> Option<Results> {
    let (_, text) = text.split_once("<!-- results: written by the tests -->")?;
    let (text, _) = text.split_once("<!-- end of results -->")?;
    let mut rows = rows(text, "| scenario |").into_iter();
    let releases: Row = rows.next()?.into_iter().skip(1).collect();
    let scenarios = rows.map(|row| {
        let mut cells = row.into_iter();
        (cells.next().unwrap_or_default(), cells.collect::<Row>())
    });
    let scenarios: Vec<(String, Row)> = scenarios.collect();
    let is_whole = |(_, cells): &(String, Row)| cells.len() == releases.len();
    if releases
        .iter()
        .any(|release| release.parse::<codex_wire_base::Release>().is_err())
        || !scenarios.iter().all(is_whole)
    {
        return None;
    }
    let failures = text.lines().filter_map(|line| {
        let (number, said) = line.strip_prefix('[')?.split_once("] ")?;
        Some((
            format!("[{number}]"),
            said.trim_matches([' ', '`']).to_owned(),
        ))
    });
    Some(Results {
        releases,
        scenarios,
        failures: failures.collect(),
    })
}

fn cells(line: &str) -> Row {
    let inner = line.trim().trim_start_matches('|');
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    inner
        .split('|')
        .map(|cell| cell.trim().to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_those_between_the_marks() {
        let text = "| scenario | 9.9.9 |\n\n<!-- results: written by the tests -->\n| scenario | 0.98.0 | 0.169.0 |\n|---|---|---|\n\
                    | run | fails [1] | passes |\n\n[1] `` no `x` ``\n<!-- end of results -->\n";
        let found = results(text).unwrap();
        assert_eq!(found.releases, ["0.98.0", "0.169.0"]);
        let row = ["fails [1]", "passes"].map(str::to_owned).to_vec();
        assert_eq!(found.scenarios, [("run".to_owned(), row)]);
        assert_eq!(found.failures, [("[1]".to_owned(), "no `x".to_owned())]);
    }

    #[test]
    fn results_of_another_kind_are_not_taken() {
        let text = "<!-- results: written by the tests -->\n| scenario | release | copes |\n|---|---|---|\n\
                    | a | 0.98.0 | 1 of 1 |\n<!-- end of results -->\n";
        assert_eq!(results(text), None);
    }
}
