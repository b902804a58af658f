import type { Feature, Schema } from "../basic-types.ts";
import { ColaError } from "../errors.ts";
import { levelFor, wordFor } from "./expression-remedies.ts";
import { featureIndex, hasLevels, levelCode, levelIndex, levelsOf } from "./schema.ts";

export interface Expression {
  readonly text: string;
  /** Features the expression reads. */
  readonly names: readonly string[];
  readonly formula: Formula;
  /** Its value in a row of codes: a number, 1 where a condition holds and 0 where not. NaN is missing. */
  evaluate(row: Float64Array): number;
}

/** What an expression computes; `levels` reads the levels of one feature as those of another, by name. */
export type Formula =
  | { readonly op: "column"; readonly k: number }
  | { readonly op: "constant"; readonly value: number }
  | { readonly op: "minus"; readonly a: Formula }
  | { readonly op: "not"; readonly a: Formula }
  | { readonly op: "levels"; readonly a: Formula; readonly codes: readonly number[] }
  | { readonly op: BinaryOp; readonly a: Formula; readonly b: Formula };

export type BinaryOp = "+" | "-" | "*" | "/" | "<=" | ">=" | "<" | ">" | "==" | "!=" | "and" | "or";

/** A part of an expression, and the feature it is or behaves like. */
interface Part {
  readonly formula: Formula;
  readonly feature: Feature;
  /** What a constant says; it is a number or a level by what it is compared with. */
  readonly text?: string;
}

const NUMBER: Feature = { name: "a number", kind: "numeric" };
const CONDITION: Feature = { name: "a comparison", kind: "boolean" };

/** Are its values names? A boolean without names of its own is 0 or 1. */
const named = (feature: Feature): boolean => hasLevels(feature) && feature.categories !== undefined;

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
/** Tokens an expression may have: a chain of operators is as deep as it is long. */
const MAX_TOKENS = 4096;

/**
 * Compiles a rule, or the formula of a derived column: numbers, 'level names', true and false, feature names
 * (`back quotes` around names with spaces), + − * /, comparisons, and / or / not, brackets. No functions, no
 * code is generated. Parts that do not fit each other by the schema are refused, so that no rule is void:
 * a text must be a level of the feature it is compared with, ordinals are ordered by their levels, other
 * levels have no order, and levels are not numbers. A comparison with a missing value fails; != holds.
 */
export function compileExpression(text: string, schema: Schema, column = CONDITION): Expression {
  const parser = new Parser(text, schema);
  const { formula } = parser.parse(column);
  return { text, names: [...parser.names], formula, evaluate: evaluator(formula) };
}

/** The value of a formula in a row. */
function evaluator(formula: Formula): (row: Float64Array) => number {
  if (formula.op === "column") return (row) => row[formula.k]!;
  if (formula.op === "constant") return () => formula.value;
  const a = evaluator(formula.a);
  if (formula.op === "minus") return (row) => -a(row);
  if (formula.op === "not") return (row) => Number(!(a(row) > 0));
  if (formula.op === "levels") return (row) => formula.codes[a(row)] ?? Number.NaN;
  const b = evaluator(formula.b);
  const apply = BINARY[formula.op];
  return (row) => Number(apply(a(row), b(row)));
}

/** A feature whose name needs back quotes and stands in the text without. */
function unquoted(text: string, { features }: Schema): string | undefined {
  const bare = text.replace(/(['"`]).*?\1/g, " ");
  return features.find(({ name }) => !/^[\p{L}_][\p{L}\p{N}_.]*$/u.test(name) && bare.includes(name))?.name;
}

function tokenize(text: string, schema: Schema): Token[] {
  const tokens: Token[] = [];
  for (const { groups = {}, index: at } of text.matchAll(TOKEN)) {
    const { quote, quoted = "", other } = groups;
    if (other) {
      const open = "'\"`".includes(other);
      throw syntax(
        text,
        schema,
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

/** The error, with the levels to choose from where they are what is wrong. */
function syntax(
  text: string,
  schema: Schema,
  at: number,
  why: string,
  feature = NUMBER,
  word = wordFor(text, at),
): ColaError {
  const bare = unquoted(text, schema);
  const levels = feature === CONDITION ? [] : levelsOf(feature);
  const remedy =
    levels.length > 0
      ? `compare ${feature.name} with one of ${levels.join(", ")}`
      : bare !== undefined
        ? `write \`${bare}\` in back quotes`
        : (word ?? `write e.g. "debt <= 0.4 * income and not (job == 'a' or job == 'b')"`);
  return new ColaError(
    "CONSTRAINT_INVALID",
    `rule ${JSON.stringify(text)}: ${why} (character ${at + 1}); ${remedy}.`,
    { rule: text, at },
  );
}

const BINARY: Readonly<Record<BinaryOp, (a: number, b: number) => number | boolean>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / (b || Number.NaN),
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  and: (a, b) => a > 0 && b > 0,
  or: (a, b) => a > 0 || b > 0,
};
const constant = (value: number): Formula => ({ op: "constant", value });

const COMPARISON = 2;
/** Operators by binding strength, weakest first; what follows the comparisons is arithmetic. */
const LEVELS = [["or"], ["and"], ["<=", ">=", "==", "!=", "<", ">"], ["+", "-"], ["*", "/"]];

class Parser {
  readonly names = new Set<string>();
  readonly #text: string;
  readonly #schema: Schema;
  readonly #tokens: Token[];
  #next = 0;
  #depth = 0;

  constructor(text: string, schema: Schema) {
    this.#text = text;
    this.#schema = schema;
    this.#tokens = tokenize(text, schema);
  }

  /** A condition, or else a value of the column. */
  parse(column: Feature): Part {
    const part = this.#level(0);
    const rest = this.#tokens[this.#next]!;
    if (rest.kind !== "end") throw this.#wrong(rest.at, `${JSON.stringify(rest.text)} is unexpected`);
    if (named(column)) throw this.#wrong(0, `the levels of ${column.name} cannot be computed`);
    this.#need(0, column === CONDITION ? "a rule" : column.name, part, hasLevels(column));
    return part;
  }

  #wrong(at: number, why: string, feature?: Feature, word?: string): ColaError {
    return syntax(this.#text, this.#schema, at, why, feature, word);
  }

  #level(level: number): Part {
    const operators = LEVELS[level];
    if (!operators) return this.#unary();
    let left = this.#level(level + 1);
    for (;;) {
      const token = this.#tokens[this.#next]!;
      if ((token.kind !== "op" && token.kind !== "name") || !operators.includes(token.text)) return left;
      if (++this.#next > MAX_TOKENS) throw this.#wrong(token.at, `it has more than ${MAX_TOKENS} parts`);
      left = this.#binary(level, token, left, this.#level(level + 1));
    }
  }

  #binary(level: number, { text, at }: Token, left: Part, right: Part): Part {
    let [a, b] = [left, right];
    if (level === COMPARISON) [a, b] = this.#comparable(at, /[<>]/.test(text), left, right);
    else for (const part of [a, b]) this.#need(at, text, part, level < COMPARISON);
    return {
      feature: level > COMPARISON ? NUMBER : CONDITION,
      formula: { op: text as BinaryOp, a: a.formula, b: b.formula },
    };
  }

  /** Throws unless a part is what an operator works on: a condition, or else a number. */
  #need(at: number, operator: string, { feature }: Part, condition: boolean): void {
    if (!named(feature) && (!condition || feature.kind === "boolean")) return;
    const what = condition ? "a condition" : "a number";
    throw this.#wrong(at, `${operator} needs ${what}, but ${feature.name} is not one`, feature);
  }

  /** The two sides of a comparison on one scale; levels of two features meet by name. */
  #comparable(at: number, order: boolean, left: Part, right: Part): [Part, Part] {
    const [a, b] = [this.#constant(at, left, right), this.#constant(at, right, left)];
    const [f, g] = [a.feature, b.feature];
    for (const feature of [f, g]) {
      if (order && (feature === CONDITION || (named(feature) && feature.kind !== "ordinal")))
        throw this.#wrong(at, `${feature.name} has no order as ordinals have, use == or !=`, feature);
    }
    if (![f, g].some((feature) => feature === CONDITION || named(feature))) return [a, b];
    const codes = levelsOf(g).map((level) => levelIndex(f, level));
    const shared = order
      ? String(codes) === String([...levelsOf(f).keys()])
      : codes.some((code) => code >= 0);
    if (f.kind !== g.kind || !shared)
      throw this.#wrong(at, `${f.name} and ${g.name} cannot be compared`, named(f) ? f : g);
    return [a, { feature: f, formula: { op: "levels", a: b.formula, codes } }];
  }

  /** A constant as a value of what it is compared with; any other part as it is. */
  #constant(at: number, part: Part, { feature }: Part): Part {
    const { text } = part;
    const levels = hasLevels(feature);
    if (text === undefined || (!levels && part.feature.kind === "numeric")) return part;
    const code = levels ? levelCode(feature, text) : -1;
    if (feature === CONDITION)
      throw this.#wrong(
        at,
        "two comparisons stand in a row",
        undefined,
        "join two by `and`: a <= b and b <= c",
      );
    const lacks = levels ? "has no level" : "is a number, not";
    if (code < 0) throw this.#wrong(at, `${feature.name} ${lacks} ${JSON.stringify(text)}`, feature);
    return { feature, formula: constant(code) };
  }

  #unary(): Part {
    const token = this.#tokens[this.#next++]!;
    if (++this.#depth > MAX_DEPTH) throw this.#wrong(token.at, `it nests deeper than ${MAX_DEPTH}`);
    const part = this.#operand(token);
    this.#depth--;
    return part;
  }

  #operand({ kind, text, at }: Token): Part {
    if (kind === "op" && text === "(") {
      const inner = this.#level(0);
      const close = this.#tokens[this.#next++]!;
      if (close.text !== ")")
        throw this.#wrong(close.at, "a closing bracket is missing", undefined, "add it");
      return inner;
    }
    if (kind === "op" && text === "-") {
      const inner = this.#unary();
      this.#need(at, text, inner, false);
      return { feature: NUMBER, formula: { op: "minus", a: inner.formula } };
    }
    if (kind === "name" && text === "not") {
      const inner = this.#level(COMPARISON);
      this.#need(at, text, inner, true);
      return { feature: CONDITION, formula: { op: "not", a: inner.formula } };
    }
    if (kind === "number") {
      const value = Number(text);
      if (!Number.isFinite(value)) throw this.#wrong(at, `${text} is not a number`);
      return { feature: { ...NUMBER, name: text }, formula: constant(value), text: String(value) };
    }
    if (kind === "text")
      return {
        feature: { name: `'${text}'`, kind: "categorical", categories: [] },
        formula: constant(Number.NaN),
        text,
      };
    if (kind !== "name") throw this.#wrong(at, `${JSON.stringify(text)} is unexpected`);
    const { features } = this.#schema;
    const known = features.some(({ name }) => name === text);
    const truth = levelIndex(CONDITION, text);
    if (truth >= 0 && !known)
      return { feature: { ...CONDITION, name: text }, formula: constant(truth), text };
    this.names.add(text);
    if (!known) {
      const word = wordFor(this.#text, at) ?? levelFor(text, this.#schema);
      if ((word ?? unquoted(this.#text, this.#schema)) !== undefined)
        throw this.#wrong(at, `there is no feature ${JSON.stringify(text)}`, undefined, word);
    }
    const k = featureIndex(this.#schema, text, `rule ${JSON.stringify(this.#text)}`);
    return { feature: features[k]!, formula: { op: "column", k } };
  }
}
