import fc from "fast-check";
import { levelsOf } from "../../src/data/schema.ts";
import type { Feature, Schema } from "../../src/types.ts";

type Operator = "<" | "<=" | ">" | ">=" | "==" | "!=";
const EQUAL: readonly Operator[] = ["==", "!="];
const ANY: readonly Operator[] = ["<", "<=", ">", ">=", ...EQUAL];

/** A feature compared with a number, a level, a truth value or another feature. */
export interface Comparison {
  readonly feature: Feature;
  readonly op: Operator;
  readonly with: number | string | boolean | Feature;
  /** The right side as the rule writes it. */
  readonly text: string;
}
/** A rule as a tree, so that its text and its meaning are two things. */
export type Rule =
  | Comparison
  | { readonly not: Rule }
  | { readonly both: readonly [Rule, Rule] }
  | { readonly either: readonly [Rule, Rule] };

/** Two neighbours of each kind; levels are in no alphabetical order, twins have the same ones. */
const KINDS = [
  "numeric",
  "integer",
  "ordinal",
  "ordinal",
  "categorical",
  "categorical",
  "boolean",
  "boolean",
] as const;
const WORDS = ["ample", "none", "some", "few"];
/** A level of no feature. */
export const UNKNOWN_LEVEL = "plenty";
const TRUTHS = [
  ["1", "true", "'true'", "'yes'"],
  ["0", "false", "'false'", "'No'"],
] as const;

const lists = fc.shuffledSubarray(WORDS, { minLength: 2 });
const schemas: fc.Arbitrary<Schema> = fc
  .tuple(fc.array(lists, { minLength: KINDS.length, maxLength: KINDS.length }), fc.boolean())
  .map(([levels, twins]) => ({
    features: KINDS.map((kind, k): Feature => {
      const categories = levels[twins ? k - (k % 2) : k]!;
      const named = kind === "ordinal" || kind === "categorical";
      return { name: `f${k}`, kind, ...(named ? { categories } : {}) };
    }),
  }));

const leaf = ({ features }: Schema): fc.Arbitrary<Comparison> =>
  fc
    .tuple(fc.nat(KINDS.length - 1), fc.nat(), fc.nat(), fc.nat(2))
    .map(([k, choice, operator, form]): Comparison => {
      const feature = features[k]!;
      const other = features[k % 2 === 0 ? k + 1 : k - 1]!;
      const [levels, others] = [levelsOf(feature), levelsOf(other)];
      const twins = String(levels) === String(others);
      const of = (ops: readonly Operator[]): Operator => ops[operator % ops.length]!;
      const { kind } = feature;
      const number = kind === "numeric" || kind === "integer";
      if (form === 0 && (number || levels.some((level) => others.includes(level)))) {
        const op = of(number || (kind === "ordinal" && twins) ? ANY : EQUAL);
        return { feature, op, with: other, text: other.name };
      }
      if (number) return { feature, op: of(ANY), with: choice % 5, text: String(choice % 5) };
      if (kind === "boolean") {
        const truth = choice % 2 === 0;
        const words = TRUTHS[truth ? 0 : 1];
        return {
          feature,
          op: of(EQUAL),
          with: truth,
          text: words[choice % 3 === 0 ? 0 : choice % words.length]!,
        };
      }
      const level = levels[choice % levels.length]!;
      return { feature, op: of(kind === "ordinal" ? ANY : EQUAL), with: level, text: `'${level}'` };
    });

const tree = (schema: Schema, depth: number): fc.Arbitrary<Rule> => {
  if (depth === 0) return leaf(schema);
  const pair = fc.tuple(tree(schema, depth - 1), tree(schema, depth - 1));
  return fc.oneof(
    { weight: 3, arbitrary: leaf(schema) },
    { weight: 1, arbitrary: tree(schema, depth - 1).map((not) => ({ not })) },
    { weight: 1, arbitrary: pair.map((both) => ({ both })) },
    { weight: 1, arbitrary: pair.map((either) => ({ either })) },
  );
};

/** A row of codes for each feature: numbers from 0 to 4, levels, now and then a gap. */
const row = ({ features }: Schema): fc.Arbitrary<number[]> =>
  fc.tuple(
    ...features.map((feature) =>
      fc.oneof(
        { weight: 9, arbitrary: fc.nat((levelsOf(feature).length || 5) - 1) },
        { weight: 1, arbitrary: fc.constant(Number.NaN) },
      ),
    ),
  );

export interface Ruled {
  readonly schema: Schema;
  readonly rule: Rule;
  readonly x: number[][];
  readonly references: number[][];
}

/** A schema of all kinds, a rule that fits it, and rows. */
export const ruled: fc.Arbitrary<Ruled> = schemas.chain((schema) =>
  fc.record({
    schema: fc.constant(schema),
    rule: tree(schema, 2),
    x: fc.array(row(schema), { minLength: 1, maxLength: 3 }),
    references: fc.array(row(schema), { minLength: 1, maxLength: 4 }),
  }),
);

/** How a comparison is written. */
export type Writer = (comparison: Comparison) => string;
export const asItIs: Writer = ({ feature, op, text }) => `${feature.name} ${op} ${text}`;

/** The text of a rule. */
export function written(rule: Rule, write: Writer = asItIs): string {
  if ("not" in rule) return `not (${written(rule.not, write)})`;
  if ("both" in rule) return rule.both.map((part) => `(${written(part, write)})`).join(" and ");
  if ("either" in rule) return rule.either.map((part) => `(${written(part, write)})`).join(" or ");
  return write(rule);
}
