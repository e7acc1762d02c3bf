//! The definitions of a file, and each one's place. It finds nothing by itself.

use std::ops::Range;

/// What a definition is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// A module, namespace or package.
    Module,
    /// A class, also an object or a record.
    Class,
    /// A struct or union.
    Struct,
    /// An enumeration.
    Enum,
    /// A case of an enumeration.
    Variant,
    /// An interface or protocol.
    Interface,
    /// A trait.
    Trait,
    /// An implementation of a type or of a trait for a type.
    Impl,
    /// A function that belongs to no type.
    Function,
    /// A function of a type.
    Method,
    /// A function that makes a value of its type, or ends one.
    Constructor,
    /// A property with code of its own, an event, an indexer.
    Property,
    /// A field.
    Field,
    /// A constant.
    Constant,
    /// A variable.
    Variable,
    /// A type alias.
    Type,
    /// A macro.
    Macro,
    /// A key with its value.
    Key,
    /// A table, or a list of them.
    Table,
    /// An element of a document.
    Element,
    /// A rule of a style sheet.
    Rule,
    /// A heading with what stands below it.
    Section,
}

impl Kind {
    /// As it is told.
    pub fn name(self) -> &'static str {
        match self {
            Self::Module => "module",
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Enum => "enum",
            Self::Variant => "variant",
            Self::Interface => "interface",
            Self::Trait => "trait",
            Self::Impl => "impl",
            Self::Function => "function",
            Self::Method => "method",
            Self::Constructor => "constructor",
            Self::Property => "property",
            Self::Field => "field",
            Self::Constant => "constant",
            Self::Variable => "variable",
            Self::Type => "type",
            Self::Macro => "macro",
            Self::Key => "key",
            Self::Table => "table",
            Self::Element => "element",
            Self::Rule => "rule",
            Self::Section => "section",
        }
    }
}

/// One definition. All ranges are bytes of the text that was parsed, on character boundaries; none is empty but a
/// body may be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// Its name path: names separated by `/`, such as `Class/method`. Where several would have the same, they are
    /// numbered in the order of the file: `Class/method[1]`, `Class/method[2]`. A `/` or `\` inside a name has a `\`
    /// in front.
    pub path: String,
    /// What it is.
    pub kind: Kind,
    /// The index of the innermost symbol whose definition holds this one.
    pub parent: Option<usize>,
    /// How many symbols it lies in.
    pub depth: usize,
    /// Everything that belongs to it: the comments, decorators and attributes in front, the `;` and the comment behind
    /// it on its last line. It lies in the definition of its parent, but for what stands behind both.
    pub extent: Range<usize>,
    /// The definition itself, with its modifiers and decorators, without comments around it.
    pub definition: Range<usize>,
    /// Its name, where it stands in the text; else the start of the definition.
    pub name: Range<usize>,
    /// What `replace_body` replaces: a block with its braces, an indented block from its first to its last character
    /// that is not white space, the value of a constant or key.
    pub body: Option<Range<usize>>,
    /// Whether it stands in a list whose items are separated by commas.
    pub listed: bool,
    /// In such a list: the comma between it and the item in front of it, which may be no symbol.
    pub comma: Option<usize>,
    /// The statement, with what belongs to it, that defines others beside it: `let a = 1, b = 2;`.
    pub statement: Option<Range<usize>>,
    /// Set if it only declares what is defined elsewhere: a signature of an overload, a prototype, a function marked
    /// `@overload`.
    pub declares: bool,
    /// The segments of `path` before numbering, each with the names by which it may be asked for.
    pub(crate) segments: Vec<Segment>,
}

/// One name of a name path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Segment {
    /// The name, unescaped.
    pub(crate) name: String,
    /// Other names that mean it, such as `a` and `b` for `a, b = 1, 2`.
    pub(crate) also: Vec<String>,
    /// All names at once, where its definition gives several things a name each.
    pub(crate) whole: Option<String>,
    /// Another name that leads through it to what lies in it, such as `Foo` for `impl Trait for Foo`.
    pub(crate) alias: Option<String>,
    /// Its number among those of the same name, from 1, where there are several.
    pub(crate) number: Option<usize>,
}

/// The definitions of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outline {
    /// In the order of the file; a symbol stands before those that lie in it.
    pub symbols: Vec<Symbol>,
    /// Whether the text has syntax errors: symbols may be missing, or end elsewhere than their author thinks.
    pub broken: bool,
}
