//! What a compiled schema can do.

use serde_json::Value;

use crate::compile::compile;
use crate::error::Error;
use crate::paths::{Finder, Paths, Projected};
use crate::run::Run;
use crate::scanner::Scanner;
use crate::tables::{Members, Prefilter, Shape, Verdict};
use crate::tape::{Nothing, Tape};
use crate::view::View;

impl Prefilter {
    /// Compiles a schema, for the fastest instructions of this processor.
    ///
    /// # Errors
    /// When a reference leads nowhere, or the schema has more parts than the tables can hold.
    pub fn compile(schema: &Value) -> Result<Self, Error> {
        Self::compile_for(schema, Scanner::best())
    }

    /// Compiles a schema, for the given instructions.
    ///
    /// # Errors
    /// As [`Self::compile`].
    pub fn compile_for(schema: &Value, scanner: Scanner) -> Result<Self, Error> {
        let all = schema.get("$defs");
        compile(schema, &|name| all?.get(name), scanner)
    }

    /// Compiles a schema whose definitions stand somewhere else: whoever has many schemas with the
    /// same definitions need not put them together.
    ///
    /// # Errors
    /// As [`Self::compile`].
    pub fn compile_with<'s>(
        schema: &'s Value,
        definitions: &'s (dyn Fn(&str) -> Option<&'s Value> + 's),
    ) -> Result<Self, Error> {
        compile(schema, definitions, Scanner::best())
    }

    /// Makes the prefilter look for these paths, given as JSON Pointers, in every line; see
    /// [`Self::project`].
    ///
    /// Values in arrays and in maps with arbitrary keys are searched only when asked for; so are
    /// paths beyond the 64th and paths below more than 16 names.
    #[must_use]
    pub fn projecting(mut self, places: &[&str]) -> Self {
        self.paths = Paths::new(places);
        for shape in &mut self.objects {
            if let Shape::Members(Members { names, members, .. }) = shape {
                for (word, member) in names.list().iter().zip(members) {
                    member.column = self.paths.column(names.text(word));
                }
            }
        }
        self
    }

    /// The parts of the schema, as JSON Pointers, where the prefilter is never sure, because it does
    /// not know a keyword or a combination of keywords.
    pub fn gaps(&self) -> &[String] {
        &self.gaps
    }

    /// Checks one line.
    pub fn check(&self, line: &[u8]) -> Verdict {
        if simdutf8::basic::from_utf8(line).is_ok() {
            return self.check_utf8(line);
        }
        let error = std::str::from_utf8(line).err();
        Verdict::NotSure {
            at: error.map_or(0, |error| error.valid_up_to()),
        }
    }

    /// Checks one line that is known to be UTF-8.
    pub fn check_text(&self, line: &str) -> Verdict {
        self.check_utf8(line.as_bytes())
    }

    /// Checks one line that is known to be UTF-8. If it is accepted, returns a view of it, and
    /// whether an object may have a key twice, as in [`Verdict::Accepted`]; the last value counts.
    /// Otherwise returns the byte at which checking stopped.
    ///
    /// # Errors
    /// When a validator has to decide.
    #[inline]
    pub fn view<'a>(&self, line: &'a str, tape: &'a mut Tape) -> Result<(View<'a>, bool), usize> {
        tape.clear();
        let repeated = match u32::try_from(line.len()) {
            Ok(_) => Run::new(self, line.as_bytes(), &mut *tape).line()?,
            Err(_) => Run::new(self, line.as_bytes(), Nothing).line()?,
        };
        Ok((tape.view(line, repeated), repeated))
    }

    /// Checks one line that is known to be UTF-8. If it is accepted, returns the values at the
    /// projected paths. This is faster than a [`View`] if you need the same paths of every line.
    /// Otherwise returns the byte at which checking stopped.
    ///
    /// ```
    /// use codex_wire_prefilter::{Tape, Prefilter};
    /// use serde_json::json;
    ///
    /// let prefilter = Prefilter::compile(&json!({
    ///     "type": "object",
    ///     "properties": {"type": {"type": "string"}, "item": {"properties": {"id": {"type": "string"}}}},
    ///     "required": ["type"],
    /// }))?
    /// .projecting(&["/type", "/item/id"]);
    /// let mut tape = Tape::new();
    /// let line = r#"{"type":"item.started","item":{"id":"item_0"}}"#;
    /// let seen = prefilter.project(line, &mut tape).expect("it is accepted");
    /// assert_eq!((seen.get_str(0), seen.get_str(1)), (Some("item.started"), Some("item_0")));
    /// # Ok::<(), codex_wire_prefilter::Error>(())
    /// ```
    ///
    /// # Errors
    /// When a validator has to decide.
    #[inline]
    pub fn project<'a>(
        &'a self,
        line: &'a str,
        tape: &'a mut Tape,
    ) -> Result<Projected<'a>, usize> {
        let mut finder = Finder::new(&self.paths, line.as_bytes(), tape);
        let reported = match u32::try_from(line.len()) {
            Ok(_) => {
                let repeated = Run::new(self, line.as_bytes(), &mut finder).line()?;
                (repeated, finder.is_unsure)
            }
            Err(_) => (Run::new(self, line.as_bytes(), Nothing).line()?, true),
        };
        Ok(Projected::new(line, &self.paths, tape, reported))
    }

    fn check_utf8(&self, line: &[u8]) -> Verdict {
        match Run::new(self, line, Nothing).line() {
            Ok(repeated) => Verdict::Accepted { repeated },
            Err(at) => Verdict::NotSure { at },
        }
    }
}
