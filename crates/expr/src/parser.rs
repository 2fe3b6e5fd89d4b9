//! Parser: tokens to nodes, by precedence climbing.
//!
//! Precedence, weakest first: `or`, `and`, `not`, comparisons (not chained), `+ -`, `* /`, sign, `^`
//! (right-associative: 2^3^2 is 2^9, and -x^2 is -(x^2)). One function handles all levels; it recurses only where the
//! text nests, and the depth is limited.

use crate::error::{ErrorKind, ExprError, similar_names};
use crate::graph::Graph;
use crate::language::{FOREIGN_FUNCTIONS, FUNCTIONS, constant, function};
use crate::lexer::{self, Token, TokenKind};
use crate::node::{Binary, NodeId, Unary};
use crate::scope::Scope;

/// Maximum nesting depth. What a person writes stays below 20; the stack of a thread holds far more than this.
const DEEPEST: usize = 200;

/// Precedence levels that the parser names.
const NOT: u8 = 3;
const COMPARISON: u8 = 4;
const SIGN: u8 = 7;

impl Graph {
    /// Parses `text` with the names of `scope`.
    ///
    /// # Errors
    /// With the location in the text, what was found and what was expected.
    pub fn parse(&mut self, scope: &Scope, text: &str) -> Result<NodeId, ExprError> {
        let tokens = lexer::tokens(text)?;
        let mut parser = Parser {
            graph: self,
            scope,
            text,
            tokens: &tokens,
            at: 0,
            depth: 0,
        };
        if parser.peek().kind == TokenKind::End {
            return Err(parser.error(parser.peek(), ErrorKind::Empty));
        }
        let node = parser.expression(0)?;
        match parser.peek().kind {
            TokenKind::End => Ok(node),
            _ => Err(parser.unexpected("an operator or the end")),
        }
    }

    /// As [`Graph::parse`]; an error says that it is in `name`.
    ///
    /// # Errors
    /// As for [`Graph::parse`].
    pub fn parse_named(
        &mut self,
        scope: &Scope,
        name: &str,
        text: &str,
    ) -> Result<NodeId, ExprError> {
        self.parse(scope, text)
            .map_err(|error| error.in_source(name))
    }
}

/// State of the parser: position in the tokens and nesting depth.
struct Parser<'a> {
    graph: &'a mut Graph,
    scope: &'a Scope,
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    /// The longest expression whose operators have at least the precedence `weakest`.
    fn expression(&mut self, weakest: u8) -> Result<NodeId, ExprError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error(self.peek(), ErrorKind::TooDeep(DEEPEST)));
        }
        let mut left = self.operand(weakest)?;
        loop {
            let operator = self.peek();
            // No operator follows: the end of this expression, or two operands side by side.
            let Some(strength) = precedence(operator.kind) else {
                if matches!(
                    operator.kind,
                    TokenKind::Number(_) | TokenKind::Name | TokenKind::Open
                ) {
                    return Err(self.side_by_side(operator));
                }
                break;
            };
            // The operator belongs to an outer expression.
            if strength < weakest {
                break;
            }
            self.at += 1;
            // Left-associative operators need a right operand of higher precedence; a power is right-associative and
            // accepts a sign.
            let right = match operator.kind {
                TokenKind::Power => self.expression(SIGN)?,
                _ => self.expression(strength + 1)?,
            };
            left = self.combine(operator.kind, left, right);
            let next = self.peek();
            if strength == COMPARISON && self::precedence(next.kind) == Some(COMPARISON) {
                return Err(self.error(next, ErrorKind::ChainedComparison));
            }
        }
        self.depth -= 1;
        Ok(left)
    }

    /// A number, a name, a call, a signed or negated expression, or one in brackets.
    fn operand(&mut self, weakest: u8) -> Result<NodeId, ExprError> {
        let token = self.peek();
        self.at += 1;
        match token.kind {
            TokenKind::Number(value) => Ok(self.graph.constant(value)),
            TokenKind::Name => self.name(token),
            TokenKind::Minus => {
                let value = self.expression(SIGN)?;
                Ok(self.graph.neg(value))
            }
            TokenKind::Plus => self.expression(SIGN),
            TokenKind::Not if weakest <= NOT => {
                let value = self.expression(NOT)?;
                Ok(self.graph.not(value))
            }
            TokenKind::Open => {
                let value = self.expression(0)?;
                self.close(token)?;
                Ok(value)
            }
            _ => {
                self.at -= 1;
                Err(self.unexpected("a number, a name or `(`"))
            }
        }
    }

    /// The node of a binary operator.
    fn combine(&mut self, operator: TokenKind, a: NodeId, b: NodeId) -> NodeId {
        let graph = &mut *self.graph;
        match operator {
            TokenKind::Plus => graph.add(a, b),
            TokenKind::Minus => graph.sub(a, b),
            TokenKind::Times => graph.mul(a, b),
            TokenKind::Divide => graph.div(a, b),
            TokenKind::Power => graph.pow(a, b),
            TokenKind::Less => graph.binary(Binary::Less, a, b),
            TokenKind::LessEqual => graph.binary(Binary::LessEqual, a, b),
            TokenKind::Greater => graph.binary(Binary::Less, b, a),
            TokenKind::GreaterEqual => graph.binary(Binary::LessEqual, b, a),
            TokenKind::Equal => graph.binary(Binary::Equal, a, b),
            TokenKind::And => graph.binary(Binary::And, a, b),
            TokenKind::Or => graph.binary(Binary::Or, a, b),
            // `!=`: all other kinds are no binary operators.
            _ => {
                let equal = graph.binary(Binary::Equal, a, b);
                graph.not(equal)
            }
        }
    }

    /// A value or a call, by the scope, the constants and the functions.
    fn name(&mut self, token: Token) -> Result<NodeId, ExprError> {
        let name = self.word(token);
        // A bracket after the name makes it a call.
        let call = self.peek().kind == TokenKind::Open;
        let value = match self.scope.get(name) {
            Some(node) => Some(node),
            None => constant(name).map(|value| self.graph.constant(value)),
        };
        let kind = match (value, function(name), call) {
            (Some(node), _, false) => return Ok(node),
            (None, Some(arity), true) => return self.call(token, arity),
            (Some(_), _, true) => ErrorKind::NotAFunction(name.to_string()),
            (None, Some(_), false) => ErrorKind::FunctionWithoutArgument(name.to_string()),
            (None, None, true) => self.unknown_function(name),
            (None, None, false) => {
                let (nearest, available) = self.scope.suggestions(name);
                let name = lexer::quote(name);
                ErrorKind::UnknownName {
                    name,
                    nearest,
                    available,
                }
            }
        };
        Err(self.error(token, kind))
    }

    /// Error: unknown function, with similar names.
    fn unknown_function(&self, name: &str) -> ErrorKind {
        let available: Vec<String> = FUNCTIONS.iter().map(|f| f.0.to_string()).collect();
        // A known foreign name, else similar ones.
        let nearest = match FOREIGN_FUNCTIONS.iter().find(|(other, _)| *other == name) {
            Some((_, here)) => here.iter().map(|name| (*name).to_string()).collect(),
            None => similar_names(name, &available),
        };
        ErrorKind::UnknownFunction {
            name: lexer::quote(name),
            nearest,
            available,
        }
    }

    /// A function call with its arguments.
    fn call(&mut self, token: Token, (least, most): (usize, usize)) -> Result<NodeId, ExprError> {
        let open = self.peek();
        self.at += 1;
        // Arguments between brackets, separated by commas.
        let mut arguments = Vec::new();
        if self.peek().kind != TokenKind::Close {
            arguments.push(self.expression(0)?);
            while self.peek().kind == TokenKind::Comma {
                self.at += 1;
                arguments.push(self.expression(0)?);
            }
        }
        self.close(open)?;
        let name = self.word(token);
        // Check the number of arguments.
        if arguments.len() < least || arguments.len() > most {
            let expected = match (least, most) {
                (1, _) => "1 argument".to_string(),
                (n, usize::MAX) => format!("{n} arguments or more"),
                (n, _) => format!("{n} arguments"),
            };
            let (function, found) = (name.to_string(), arguments.len());
            let kind = ErrorKind::Arguments {
                function,
                expected,
                found,
            };
            return Err(self.error(token, kind));
        }
        Ok(apply(self.graph, name, &arguments))
    }

    fn close(&mut self, open: Token) -> Result<(), ExprError> {
        match self.peek().kind {
            TokenKind::Close => {
                self.at += 1;
                Ok(())
            }
            TokenKind::End => Err(self.error(open, ErrorKind::Unclosed)),
            _ => Err(self.unexpected("an operator, `,` or `)`")),
        }
    }

    /// Error: two operands without an operator between them.
    fn side_by_side(&self, second: Token) -> ExprError {
        match self.word(second) {
            "if" | "else" => {
                let found = format!("`{}`", self.word(second));
                let expected = "an operator (a condition is written `if(condition, a, b)`)".into();
                self.error(second, ErrorKind::Unexpected { found, expected })
            }
            _ => self.error(second, ErrorKind::MissingOperator),
        }
    }

    fn unexpected(&self, expected: &str) -> ExprError {
        let token = self.peek();
        let found = match token.kind {
            TokenKind::End => "the end".to_string(),
            _ => format!("`{}`", lexer::quote(self.word(token))),
        };
        let expected = expected.to_string();
        self.error(token, ErrorKind::Unexpected { found, expected })
    }

    fn error(&self, token: Token, kind: ErrorKind) -> ExprError {
        ExprError::at(kind, self.text, token.start, token.end)
    }

    /// The next token; the last one, the end, is never passed.
    fn peek(&self) -> Token {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }
}

impl<'a> Parser<'a> {
    fn word(&self, token: Token) -> &'a str {
        &self.text[token.start..token.end]
    }
}

/// Precedence of a binary operator.
fn precedence(kind: TokenKind) -> Option<u8> {
    Some(match kind {
        TokenKind::Or => 1,
        TokenKind::And => 2,
        TokenKind::Less | TokenKind::LessEqual | TokenKind::Greater | TokenKind::GreaterEqual => {
            COMPARISON
        }
        TokenKind::Equal | TokenKind::NotEqual => COMPARISON,
        TokenKind::Plus | TokenKind::Minus => 5,
        TokenKind::Times | TokenKind::Divide => 6,
        TokenKind::Power => 8,
        _ => return None,
    })
}

/// The function applied to arguments whose number was checked against [`FUNCTIONS`].
fn apply(graph: &mut Graph, name: &str, arguments: &[NodeId]) -> NodeId {
    let unary = |graph: &mut Graph, op| graph.unary(op, arguments[0]);
    // Functions of two or more arguments are folded from the left.
    let fold = |graph: &mut Graph, op| {
        let (first, rest) = (arguments[0], &arguments[1..]);
        rest.iter().fold(first, |a, &b| graph.binary(op, a, b))
    };
    match name {
        "abs" => unary(graph, Unary::Abs),
        "acos" => unary(graph, Unary::Acos),
        "asin" => unary(graph, Unary::Asin),
        "atan" => unary(graph, Unary::Atan),
        "cos" => unary(graph, Unary::Cos),
        "cosh" => unary(graph, Unary::Cosh),
        "exp" => unary(graph, Unary::Exp),
        "floor" => unary(graph, Unary::Floor),
        "ln" => unary(graph, Unary::Ln),
        "log10" => unary(graph, Unary::Log10),
        "sign" => unary(graph, Unary::Sign),
        "sin" => unary(graph, Unary::Sin),
        "sinh" => unary(graph, Unary::Sinh),
        "sqrt" => unary(graph, Unary::Sqrt),
        "tan" => unary(graph, Unary::Tan),
        "tanh" => unary(graph, Unary::Tanh),
        "atan2" => fold(graph, Binary::Atan2),
        "hypot" => fold(graph, Binary::Hypot),
        "max" => fold(graph, Binary::Max),
        "min" => fold(graph, Binary::Min),
        "mod" => fold(graph, Binary::Mod),
        "pow" => fold(graph, Binary::Pow),
        // 0 below zero, 1 from zero on.
        "step" => graph.binary(Binary::LessEqual, Graph::ZERO, arguments[0]),
        "clamp" => {
            let above = graph.binary(Binary::Max, arguments[0], arguments[1]);
            graph.binary(Binary::Min, above, arguments[2])
        }
        _ => graph.select(arguments[0], arguments[1], arguments[2]), // `if`
    }
}
