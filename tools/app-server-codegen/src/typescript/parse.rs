//! The syntax of the types that `generate-ts` writes.

/// A type, as far as members of objects are concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// An object.
    Object(Vec<Member>),
    /// A fixed string.
    Literal(String),
    /// A type by its name.
    Named(String),
    /// All of these at once.
    All(Vec<Type>),
    /// One of these.
    OneOf(Vec<Type>),
    /// Anything without members of its own.
    Plain,
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) is_required: bool,
    pub(super) value: Type,
}

/// What is left to read of a file.
pub(super) struct Syntax {
    tokens: std::vec::IntoIter<Token>,
    next: Option<Token>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Text(String),
    Mark(char),
}

impl Syntax {
    pub(super) fn of(text: &str) -> Result<Self, String> {
        let mut tokens = tokens(text)?.into_iter();
        let next = tokens.next();
        Ok(Syntax { tokens, next })
    }

    /// `import type { A } from "./A";`: the names, and where they come from.
    pub(super) fn import(&mut self) -> Result<Option<(Vec<String>, String)>, String> {
        if !self.take_word("import") {
            return Ok(None);
        }
        self.word("type")?;
        self.mark('{')?;
        let mut names = Vec::new();
        while !self.take('}') {
            names.push(self.name()?);
            self.take(',');
        }
        self.word("from")?;
        let from = match self.advance() {
            Some(Token::Text(from)) => from,
            other => return Err(unexpected(other)),
        };
        self.mark(';')?;
        Ok(Some((names, from)))
    }

    /// `export type A = …;`, and nothing behind it.
    pub(super) fn declaration(&mut self) -> Result<Type, String> {
        self.word("export")?;
        self.word("type")?;
        self.name()?;
        self.mark('=')?;
        let declared = self.union()?;
        self.take(';');
        match self.next.take() {
            None => Ok(declared),
            other => Err(unexpected(other)),
        }
    }

    fn union(&mut self) -> Result<Type, String> {
        self.take('|');
        let mut all = vec![self.intersection()?];
        while self.take('|') {
            all.push(self.intersection()?);
        }
        Ok(only(all, Type::OneOf))
    }

    fn intersection(&mut self) -> Result<Type, String> {
        let mut all = vec![self.one()?];
        while self.take('&') {
            all.push(self.one()?);
        }
        Ok(only(all, Type::All))
    }

    fn one(&mut self) -> Result<Type, String> {
        let mut found = match self.advance() {
            Some(Token::Mark('{')) => self.object()?,
            Some(Token::Mark('(')) => {
                let inner = self.union()?;
                self.mark(')')?;
                inner
            }
            Some(Token::Mark('[')) => {
                while !self.take(']') {
                    self.union()?;
                    self.take(',');
                }
                Type::Plain
            }
            Some(Token::Text(text)) => Type::Literal(text),
            Some(Token::Word(name)) => match self.arguments()? {
                true => Type::Plain,
                false => Type::Named(name),
            },
            other => return Err(unexpected(other)),
        };
        while self.take('[') {
            self.mark(']')?;
            found = Type::Plain;
        }
        Ok(found)
    }

    /// `<A, B>`; whether there is such a list.
    fn arguments(&mut self) -> Result<bool, String> {
        if !self.take('<') {
            return Ok(false);
        }
        while !self.take('>') {
            self.union()?;
            self.take(',');
        }
        Ok(true)
    }

    /// What follows `{`.
    fn object(&mut self) -> Result<Type, String> {
        let mut members = Vec::new();
        let mut is_map = false;
        while !self.take('}') {
            if self.take('[') {
                // `[key in string]?: A`, `[key: string]: A`
                while !self.take(']') {
                    self.advance().ok_or("the text ends")?;
                }
                self.take('?');
                self.mark(':')?;
                self.union()?;
                is_map = true;
            } else {
                let name = match self.advance() {
                    Some(Token::Word(name) | Token::Text(name)) => name,
                    other => return Err(unexpected(other)),
                };
                let is_required = !self.take('?');
                self.mark(':')?;
                let value = self.union()?;
                members.push(Member {
                    name,
                    is_required,
                    value,
                });
            }
            if !self.take(',') {
                self.take(';');
            }
        }
        Ok(match is_map && members.is_empty() {
            true => Type::Plain,
            false => Type::Object(members),
        })
    }

    fn advance(&mut self) -> Option<Token> {
        std::mem::replace(&mut self.next, self.tokens.next())
    }

    fn take(&mut self, mark: char) -> bool {
        let is_next = self.next == Some(Token::Mark(mark));
        if is_next {
            self.advance();
        }
        is_next
    }

    fn take_word(&mut self, word: &str) -> bool {
        let is_next = matches!(&self.next, Some(Token::Word(next)) if next == word);
        if is_next {
            self.advance();
        }
        is_next
    }

    fn mark(&mut self, mark: char) -> Result<(), String> {
        match self.take(mark) {
            true => Ok(()),
            false => Err(format!(
                "expected `{mark}`, {}",
                unexpected(self.next.take())
            )),
        }
    }

    fn word(&mut self, word: &str) -> Result<(), String> {
        match self.take_word(word) {
            true => Ok(()),
            false => Err(format!(
                "expected `{word}`, {}",
                unexpected(self.next.take())
            )),
        }
    }

    fn name(&mut self) -> Result<String, String> {
        match self.advance() {
            Some(Token::Word(name)) => Ok(name),
            other => Err(unexpected(other)),
        }
    }
}

fn only(mut all: Vec<Type>, several: fn(Vec<Type>) -> Type) -> Type {
    match all.len() {
        1 => all.swap_remove(0),
        _ => several(all),
    }
}

fn unexpected(token: Option<Token>) -> String {
    match token {
        Some(Token::Word(word)) => format!("unexpected `{word}`"),
        Some(Token::Text(text)) => format!("unexpected \"{text}\""),
        Some(Token::Mark(mark)) => format!("unexpected `{mark}`"),
        None => "the text ends".to_owned(),
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-' | '.');
    let mut out = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c.is_whitespace() {
            continue;
        }
        if c == '"' {
            let mut inner = String::new();
            loop {
                match chars.next() {
                    Some('"') => break,
                    Some('\\') => inner.extend(chars.next()),
                    Some(other) => inner.push(other),
                    None => return Err("a string does not end".to_owned()),
                }
            }
            out.push(Token::Text(inner));
        } else if is_word(c) {
            let mut word = c.to_string();
            while let Some(more) = chars.next_if(|c| is_word(*c)) {
                word.push(more);
            }
            out.push(Token::Word(word));
        } else {
            out.push(Token::Mark(c));
        }
    }
    Ok(out)
}
