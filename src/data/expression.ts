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

/** White space, a quoted text or name, a number, an operator, a name, or what is none of these. */
const TOKEN =
  /[ \t\n]+|(?<quote>['"`])(?<quoted>.*?)\k<quote>|(?<number>[0-9.](?:[0-9.]|[eE][-+]?)*)|(?<op>[<>=!]=|[-<>+*/()])|(?<name>[\p{L}\p{N}_.]+)|(?<other>.)/gsu;
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
  for (const { groups = {}, index: at } of text.matchAll(TOKEN)) {
    const { quote, quoted = "", other } = groups;
    if (other) {
      const open = "'\"`".includes(other);
      throw syntax(
        text,
        at,
        `the ${open ? `quote ${other} is not closed` : `character ${JSON.stringify(other)} means nothing here`}`,
      );
    }
    if (quote) tokens.push({ kind: quote === "`" ? "name" : "text", text: quoted, at });
    for (const kind of ["number", "op", "name"] as const)
      if (groups[kind]) tokens.push({ kind, text: groups[kind], at });
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
