//! The data types of an outline: the definitions of a file and their ranges. Contains no search.

use std::ops::Range;

/// The kind of a definition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SymbolKind {
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
    /// An implementation block, of a type or of a trait for a type.
    Impl,
    /// A function that is not a member of a type.
    Function,
    /// A function that is a member of a type.
    Method,
    /// A constructor or destructor.
    Constructor,
    /// A property with accessors, an event or an indexer.
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
    /// A table or a list of tables.
    Table,
    /// An element of a document.
    Element,
    /// A rule of a style sheet.
    Rule,
    /// A heading and the text below it.
    Section,
}

impl SymbolKind {
    /// Returns the lowercase English name.
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

/// A definition of a file. All ranges are byte offsets into the parsed text, on character boundaries. Only `body` and
/// `name` may be empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbol {
    /// The name path: names separated by `/`, such as `Class/method`. Symbols with the same path are numbered in the
    /// order of the file: `Class/method[1]`, `Class/method[2]`. A `/` or `\` in a name is escaped with `\`.
    pub path: String,
    /// The kind of the definition.
    pub kind: SymbolKind,
    /// The index of the innermost symbol whose definition contains this one.
    pub parent: Option<usize>,
    /// The number of symbols that contain this one.
    pub depth: usize,
    /// The definition and everything that belongs to it: comments, decorators and attributes in front, the `;` and the
    /// comment behind it on its last line. The extent is within the definition of the parent, except for text at the
    /// end that belongs to both.
    pub extent: Range<usize>,
    /// The definition with its modifiers and decorators, without the comments around it.
    pub definition: Range<usize>,
    /// The name in the text, or an empty range at the start of the definition if the text does not contain the name.
    pub name: Range<usize>,
    /// The part that an edit of the body replaces: a block with its braces, an indented block from its first to its
    /// last character that is not white space, or the value of a constant or key.
    pub body: Option<Range<usize>>,
    /// Set for an item of a comma-separated list.
    pub listed: bool,
    /// The offset of the comma between this item and the item in front of it, which need not be a symbol.
    pub comma: Option<usize>,
    /// The whole statement, if it defines several symbols, such as `let a = 1, b = 2;`.
    pub statement: Option<Range<usize>>,
    /// Set for a mere declaration of something that is defined elsewhere: the signature of an overload, a prototype, a
    /// function marked `@overload`.
    pub declares: bool,
    /// The names that this symbol adds to the path of its parent.
    pub(crate) segments: Vec<PathSegment>,
}

/// One name of a name path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PathSegment {
    /// The name, unescaped.
    pub(crate) name: String,
    /// Further names that select it, such as `a` and `b` for `a, b = 1, 2`.
    pub(crate) also: Vec<String>,
    /// All names, if the definition gives several.
    pub(crate) whole: Option<String>,
    /// A second name that selects only its members, such as `Foo` for `impl Trait for Foo`.
    pub(crate) alias: Option<String>,
    /// The number among the symbols with the same path, from 1, if there are several.
    pub(crate) number: Option<usize>,
}

/// The definitions of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outline {
    /// The definitions in the order of the file. A symbol comes before those that it contains.
    pub symbols: Vec<Symbol>,
    /// Set if the text has syntax errors. Symbols may then be missing or have a wrong end.
    pub broken: bool,
}
