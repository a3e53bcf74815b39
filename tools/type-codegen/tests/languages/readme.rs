//! The examples of the packages' README files.

use std::fs;

use crate::install::workspace;

/// The blocks of a language, in order.
pub(crate) fn blocks(readme: &str, language: &str) -> Result<Vec<String>, String> {
    let path = workspace().join(readme);
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let start = format!("```{language}");
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while lines.any(|line| line == start) {
        let block = lines.by_ref().take_while(|line| *line != "```");
        blocks.push(block.flat_map(|line| [line, "\n"]).collect());
    }
    match blocks.is_empty() {
        true => Err(format!("{readme} has no example in {language}")),
        false => Ok(blocks),
    }
}
