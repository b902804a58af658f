import { ColaError } from "../errors.ts";

/** What an expression computes on: a number (levels are compared by name). NaN is missing. */
export type Value = number | string | boolean;
/** Reads the current value of a feature. */
export type Lookup = (name: string) => Value;
export interface Expression {
  readonly text: string;
  /** Features the expression reads. */
  readonly names: readonly string[];
  evaluate(lookup: Lookup): Value;
}

type Node = (lookup: Lookup) => Value;

interface Token {
  readonly kind: "number" | "text" | "name" | "op" | "end";
  readonly text: string;
  readonly at: number;
}

const OPERATORS = ["<=", ">=", "==", "!=", "<", ">", "+", "-", "*", "/", "(", ")"];
/** Nesting an expression may have; deeper ones are refused instead of overflowing the stack. */
const MAX_DEPTH = 64;

/**
 * Compiles a rule or derived column: numbers, 'level names', feature names (`back quotes` around names
 * with spaces), + − * /, comparisons, and / or / not, brackets. No functions, no code is generated.
 */
export function compileExpression(text: string): Expression {
  const parser = new Parser(text);
  const node = parser.parse();
  return { text, names: [...parser.names], evaluate: node };
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const c = text[at]!;
    if (c === " " || c === "\t" || c === "\n") {
      at++;
      continue;
    }
    const start = at;
    if (c === "'" || c === '"' || c === "`") {
      const end = text.indexOf(c, at + 1);
      if (end < 0) throw syntax(text, at, `the quote ${c} is not closed`);
      at = end + 1;
      tokens.push({ kind: c === "`" ? "name" : "text", text: text.slice(start + 1, end), at: start });
      continue;
    }
    if (/[0-9.]/.test(c)) {
      while (at < text.length && /[0-9.eE]/.test(text[at]!)) {
        const exponent = /[eE]/.test(text[at]!);
        at++;
        if (exponent && (text[at] === "-" || text[at] === "+")) at++;
      }
      tokens.push({ kind: "number", text: text.slice(start, at), at: start });
      continue;
    }
    const operator = OPERATORS.find((op) => text.startsWith(op, at));
    if (operator) {
      at += operator.length;
      tokens.push({ kind: "op", text: operator, at: start });
      continue;
    }
    while (at < text.length && /[\p{L}\p{N}_.]/u.test(text[at]!)) at++;
    if (at === start) throw syntax(text, at, `the character ${JSON.stringify(c)} means nothing here`);
    tokens.push({ kind: "name", text: text.slice(start, at), at: start });
  }
  tokens.push({ kind: "end", text: "the end", at: text.length });
  return tokens;
}

function syntax(text: string, at: number, why: string): ColaError {
  return new ColaError(
    "CONSTRAINT_INVALID",
    `rule ${JSON.stringify(text)}: ${why} (character ${at + 1}); write e.g. "debt <= 0.4 * income" or "not (job == 'none' and savings == 'rich')".`,
    { rule: text, at },
  );
}

const BINARY: Readonly<Record<string, (a: Value, b: Value) => Value>> = {
  "+": (a, b) => Number(a) + Number(b),
  "-": (a, b) => Number(a) - Number(b),
  "*": (a, b) => Number(a) * Number(b),
  "/": (a, b) => Number(a) / Number(b),
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  and: (a, b) => Boolean(a) && Boolean(b),
  or: (a, b) => Boolean(a) || Boolean(b),
};
/** Operators by binding strength, weakest first. */
const LEVELS = [["or"], ["and"], ["<=", ">=", "==", "!=", "<", ">"], ["+", "-"], ["*", "/"]];

class Parser {
  readonly names = new Set<string>();
  readonly #text: string;
  readonly #tokens: Token[];
  #next = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokenize(text);
  }

  parse(): Node {
    const node = this.#level(0);
    const rest = this.#tokens[this.#next]!;
    if (rest.kind !== "end") throw syntax(this.#text, rest.at, `${JSON.stringify(rest.text)} is unexpected`);
    return node;
  }

  #level(level: number): Node {
    const operators = LEVELS[level];
    if (!operators) return this.#unary();
    let left = this.#level(level + 1);
    for (;;) {
      const token = this.#tokens[this.#next]!;
      if ((token.kind !== "op" && token.kind !== "name") || !operators.includes(token.text)) return left;
      this.#next++;
      const apply = BINARY[token.text]!;
      const [a, b] = [left, this.#level(level + 1)];
      left = (lookup) => apply(a(lookup), b(lookup));
    }
  }

  #unary(): Node {
    const token = this.#tokens[this.#next++]!;
    if (++this.#depth > MAX_DEPTH) throw syntax(this.#text, token.at, `it nests deeper than ${MAX_DEPTH}`);
    const node = this.#operand(token);
    this.#depth--;
    return node;
  }

  #operand(token: Token): Node {
    if (token.kind === "op" && token.text === "(") {
      const inner = this.#level(0);
      const close = this.#tokens[this.#next++]!;
      if (close.text !== ")") throw syntax(this.#text, close.at, "a closing bracket is missing");
      return inner;
    }
    if (token.kind === "op" && token.text === "-") {
      const inner = this.#unary();
      return (lookup) => -Number(inner(lookup));
    }
    if (token.kind === "name" && token.text === "not") {
      const inner = this.#unary();
      return (lookup) => !inner(lookup);
    }
    if (token.kind === "number") {
      const value = Number(token.text);
      if (!Number.isFinite(value)) throw syntax(this.#text, token.at, `${token.text} is not a number`);
      return () => value;
    }
    if (token.kind === "text") return () => token.text;
    if (token.kind !== "name")
      throw syntax(this.#text, token.at, `${JSON.stringify(token.text)} is unexpected`);
    this.names.add(token.text);
    return (lookup) => lookup(token.text);
  }
}
