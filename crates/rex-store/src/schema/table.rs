//! What a CREATE TABLE says, in a normal form: the same for a constraint at its column and one at the table's end.

use super::token::{Token, join};

/// A table's columns, constraints and options.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Table {
    /// Name and normal text, in order.
    pub(super) columns: Vec<(String, String)>,
    /// Normal texts.
    pub(super) constraints: Vec<String>,
    /// `WITHOUT ROWID`, `STRICT`.
    pub(super) options: String,
}

impl Table {
    /// Reads the tokens of a CREATE TABLE that SQLite keeps.
    pub(super) fn parse(tokens: &[Token]) -> Self {
        let mut cursor = Cursor { tokens };
        while !cursor.at("(") && cursor.next().is_some() {}
        let body = cursor.group();
        let mut table = Self {
            options: join(cursor.tokens),
            ..Self::default()
        };
        let mut body = Cursor { tokens: strip(body) };
        while let Some(first) = body.tokens.first() {
            if ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"]
                .iter()
                .any(|word| first.is(word))
            {
                table.constraint(&mut body);
            } else if first.is(",") {
                body.next();
            } else {
                table.column(&mut body);
            }
        }
        table
    }

    fn column(&mut self, body: &mut Cursor<'_>) {
        let name = body.next().map(Token::name).unwrap_or_default();
        let mut column = Column::default();
        while let Some(first) = body.tokens.first().filter(|first| !first.is(",")) {
            if STARTS_CONSTRAINT.iter().any(|word| first.is(word)) {
                self.column_constraint(name, &mut column, body);
            } else {
                column.type_name.extend(
                    body.group()
                        .iter()
                        .map(|token| token.normal().to_ascii_uppercase()),
                );
            }
        }
        self.columns.push((name.to_owned(), column.normal()));
    }

    fn column_constraint(&mut self, name: &str, column: &mut Column, body: &mut Cursor<'_>) {
        let Some(first) = body.next() else { return };
        let own = |tail: &str| format!("( {} ){tail}", Token::Quoted(name.to_owned()).normal());
        match first.normal().as_str() {
            "CONSTRAINT" => drop(body.next()),
            "PRIMARY" => {
                body.next();
                let descending = if body.order_is_descending() { " DESC" } else { "" };
                let conflict = body.conflict();
                let counted = if body.take("AUTOINCREMENT") {
                    " AUTOINCREMENT"
                } else {
                    ""
                };
                self.constraints
                    .push(format!("PRIMARY KEY {}{conflict}{counted}", own(descending)));
            }
            "NOT" => {
                body.next();
                column.not_null = format!(" NOT NULL{}", body.conflict());
            }
            "NULL" => drop(body.conflict()),
            "UNIQUE" => {
                let text = format!("UNIQUE {}", own(""));
                self.constraints.push(text + &body.conflict());
            }
            "CHECK" => self.constraints.push(format!("CHECK {}", join(body.group()))),
            "DEFAULT" => {
                let sign = if body.at("-") || body.at("+") {
                    join(body.next()) + " "
                } else {
                    String::new()
                };
                column.default = format!(" DEFAULT {sign}{}", join(body.group()));
            }
            "COLLATE" => {
                column.collation = format!(" COLLATE {}", join(body.next()).to_ascii_uppercase());
            }
            "REFERENCES" => self
                .constraints
                .push(format!("FOREIGN KEY {} {}", own(""), body.reference())),
            // GENERATED ALWAYS AS (…) and its short form AS (…), VIRTUAL unless it says STORED.
            _ => {
                while !body.at("(") && !body.at(",") && body.next().is_some() {}
                let expression = join(body.group());
                let kept = if body.take("STORED") { " STORED" } else { "" };
                body.take("VIRTUAL");
                column.generated = format!(" AS {expression}{kept}");
            }
        }
    }

    fn constraint(&mut self, body: &mut Cursor<'_>) {
        if body.take("CONSTRAINT") {
            body.next();
        }
        let Some(first) = body.next() else { return };
        let text = match first.normal().as_str() {
            "PRIMARY" => {
                body.next();
                let columns = body.group();
                let counted = if columns.iter().any(|token| token.is("AUTOINCREMENT")) {
                    " AUTOINCREMENT"
                } else {
                    ""
                };
                let columns = join(
                    columns
                        .iter()
                        .filter(|token| !token.is("AUTOINCREMENT") && !token.is("ASC")),
                );
                format!("PRIMARY KEY {columns}{}{counted}", body.conflict())
            }
            "UNIQUE" => {
                let columns = join(body.group().iter().filter(|token| !token.is("ASC")));
                format!("UNIQUE {columns}{}", body.conflict())
            }
            "FOREIGN" => {
                body.next();
                let columns = join(body.group());
                body.next();
                format!("FOREIGN KEY {columns} {}", body.reference())
            }
            other => {
                let text = format!("{other} {}", join(body.group()));
                body.conflict();
                text
            }
        };
        self.constraints.push(text);
    }
}

const STARTS_CONSTRAINT: [&str; 11] = [
    "CONSTRAINT",
    "PRIMARY",
    "NOT",
    "NULL",
    "UNIQUE",
    "CHECK",
    "DEFAULT",
    "COLLATE",
    "REFERENCES",
    "GENERATED",
    "AS",
];

#[derive(Default)]
struct Column {
    type_name: Vec<String>,
    not_null: String,
    default: String,
    collation: String,
    generated: String,
}

impl Column {
    fn normal(&self) -> String {
        let Self {
            type_name,
            not_null,
            default,
            collation,
            generated,
        } = self;
        format!("{}{not_null}{default}{collation}{generated}", type_name.join(" "))
    }
}

/// A place in a list of tokens.
struct Cursor<'a> {
    tokens: &'a [Token],
}

impl<'a> Cursor<'a> {
    fn next(&mut self) -> Option<&'a Token> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first)
    }

    fn at(&self, text: &str) -> bool {
        self.tokens.first().is_some_and(|token| token.is(text))
    }

    fn take(&mut self, text: &str) -> bool {
        self.at(text) && self.next().is_some()
    }

    /// The next token, or all of them from an opening parenthesis to its end.
    fn group(&mut self) -> &'a [Token] {
        let mut depth = 0_usize;
        for (at, token) in self.tokens.iter().enumerate() {
            if token.is("(") {
                depth += 1;
            } else if token.is(")") {
                depth = depth.saturating_sub(1);
            }
            if depth == 0 {
                let (group, rest) = self.tokens.split_at(at + 1);
                self.tokens = rest;
                return group;
            }
        }
        std::mem::take(&mut self.tokens)
    }

    fn order_is_descending(&mut self) -> bool {
        !self.take("ASC") && self.take("DESC")
    }

    /// `ON CONFLICT …`; ABORT is what happens anyway.
    fn conflict(&mut self) -> String {
        if !(self.at("ON") && self.tokens.get(1).is_some_and(|token| token.is("CONFLICT"))) {
            return String::new();
        }
        self.next();
        self.next();
        match join(self.next()) {
            resolution if resolution == "ABORT" => String::new(),
            resolution => format!(" ON CONFLICT {resolution}"),
        }
    }

    /// What follows REFERENCES: the table, its columns and the actions, without those that happen anyway.
    fn reference(&mut self) -> String {
        let mut text = format!("REFERENCES {}", join(self.next()));
        if self.at("(") {
            text = text + " " + &join(self.group());
        }
        let mut actions = Vec::new();
        loop {
            if self.take("ON") {
                let what = join(self.next());
                let action = self.action();
                actions.extend((action != "NO ACTION").then(|| format!(" ON {what} {action}")));
            } else if self.take("MATCH") {
                self.next();
            } else if self.at("NOT") && self.tokens.get(1).is_some_and(|token| token.is("DEFERRABLE")) {
                self.next();
                self.deferral();
            } else if self.at("DEFERRABLE") {
                actions.extend(
                    self.deferral()
                        .then(|| " DEFERRABLE INITIALLY DEFERRED".to_owned()),
                );
            } else {
                break;
            }
        }
        // DEFERRABLE sorts before ON, and DELETE before UPDATE.
        actions.sort();
        text + &actions.concat()
    }

    fn action(&mut self) -> String {
        let first = join(self.next());
        if first == "SET" || first == "NO" {
            first + " " + &join(self.next())
        } else {
            first
        }
    }

    fn deferral(&mut self) -> bool {
        self.next();
        self.take("INITIALLY") && self.next().is_some_and(|token| token.is("DEFERRED"))
    }
}

fn strip(group: &[Token]) -> &[Token] {
    match group {
        [_, inner @ .., _] => inner,
        _ => &[],
    }
}
