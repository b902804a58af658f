import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compileConstraints } from "../../src/data/constraints.ts";
import { loanSchema } from "../../src/data/loans.ts";
import { type Overlay, withConstraints } from "../../src/data/overlay.ts";
import { encodeCell, featureIndex } from "../../src/data/schema.ts";
import { rowOf } from "../../src/num/matrix.ts";
import { constraintsShape, featureShapes } from "../../study/shapes.ts";

const page = readFileSync("docs/CONSTRAINTS.md", "utf8");
const schemaFile = JSON.parse(readFileSync("docs/constraints.schema.json", "utf8")) as JsonSchema;

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly description?: string;
}

/** What a JSON Schema has against a value: as much of the standard as the file uses. */
function against(schema: JsonSchema, value: unknown, at = "$"): string[] {
  const kind = Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
  if (schema.type && ![schema.type].flat().includes(kind)) return [`${at} is ${kind}`];
  if (schema.enum && !schema.enum.includes(value)) return [`${at} is none of ${schema.enum.join(", ")}`];
  if (typeof value === "number") {
    const { minimum = -Infinity, exclusiveMinimum = -Infinity } = schema;
    return value >= minimum && value > exclusiveMinimum ? [] : [`${at} is too small`];
  }
  if (Array.isArray(value))
    return value.flatMap((v, i) => (schema.items ? against(schema.items, v, `${at}[${i}]`) : []));
  if (kind !== "object") return [];
  return Object.entries(value as object).flatMap(([key, v]) => {
    const own = schema.properties?.[key] ?? schema.additionalProperties;
    if (own === false) return [`${at}.${key} is not a key`];
    return typeof own === "object" ? against(own, v, `${at}.${key}`) : [];
  });
}

/** An example of the page and the edits it is said to leave. */
interface Example {
  readonly overlay: Overlay;
  readonly edits: readonly (readonly [feature: string, from: string, to: string, may: boolean])[];
}

const examples = [...page.matchAll(/```json\n([\s\S]*?)```\n((?:\s*\|.*\n)*)/g)].map(
  ([, json, table]): Example => ({
    overlay: JSON.parse(json!) as Overlay,
    edits: [...table!.matchAll(/^\| (\w+) \| (\S+) \| (\S+) \| (may|may not) \|$/gm)].map(
      ([, feature, from, to, may]) => [feature!, from!, to!, may === "may"],
    ),
  }),
);

/** The row the page speaks of. */
const ROW = [40, 35, 10, 20, 24, 5, "school", "rent", "car", "little", false] as const;

function rowWith(overlay: Overlay, feature: string, cell: string): Float64Array {
  const schema = withConstraints(loanSchema, overlay);
  const row = Float64Array.from(schema.features, (f, k) => encodeCell(f, ROW[k], 0));
  const k = featureIndex(schema, feature);
  row[k] = cell === "missing" ? Number.NaN : encodeCell(schema.features[k]!, cell, 0);
  return row;
}

describe("docs/CONSTRAINTS.md", () => {
  test("has the examples this file reads", () => {
    expect(examples.length).toBeGreaterThan(14);
    expect(examples.flatMap((e) => e.edits).length).toBeGreaterThan(30);
  });

  test.each(examples.map((e) => [JSON.stringify(e.overlay), e] as const))("%s", (_, { overlay, edits }) => {
    expect(against(schemaFile, overlay)).toEqual([]);
    expect(constraintsShape(overlay, "constraints")).toBeUndefined();
    const constraints = compileConstraints(withConstraints(loanSchema, overlay));
    for (const [feature, from, to, may] of edits) {
      const [x, z] = [rowWith(overlay, feature, from), rowWith(overlay, feature, to)];
      expect([feature, from, to, constraints.violations(x, z).length === 0]).toEqual([
        feature,
        from,
        to,
        may,
      ]);
    }
  });

  test("every key of a feature has its place in the page and in the JSON Schema, and no other", () => {
    const keys = Object.keys(featureShapes).sort();
    const { features, ...lists } = schemaFile.properties!;
    const told = features!.additionalProperties as JsonSchema;
    expect(Object.keys(told.properties!).sort()).toEqual(keys);
    expect(Object.values(told.properties!).every((one) => one.description)).toBe(true);
    expect(Object.keys(lists).sort()).toEqual(["$schema", "freeze", "rules", "vary"]);
    const headings = [...page.matchAll(/^### (.*)$/gm)].flatMap(([, line]) =>
      [...line!.matchAll(/`(\w+)`/g)].map(([, key]) => key!),
    );
    expect(headings.sort()).toEqual(keys);
  });

  test.each([
    { features: { amount: { mim: 3 } } },
    { features: { amount: { min: "3" } } },
    { features: { amount: { step: 0 } } },
    { features: { debt: { direction: "sideways" } } },
    { rule: [] },
    { rules: "debt < income" },
  ])("the JSON Schema refuses %j", (wrong) => {
    expect(against(schemaFile, wrong)).toHaveLength(1);
  });

  test("a derived feature is recomputed, a tolerance keeps small moves from being edits, costs are kept", () => {
    const { complete } = compileConstraints(
      withConstraints(loanSchema, { features: { amount: { derived: "0.5 * income + debt" } } }),
    );
    const x = rowWith({}, "income", "50");
    expect(rowOf(complete({ data: x, rows: 1, cols: x.length }), 0)[3]).toBe(35);
    const { same } = compileConstraints(
      withConstraints(loanSchema, { features: { income: { tolerance: 0.5 } } }),
    );
    expect([same(1, 35, 35.5), same(1, 35, 35.6)]).toEqual([true, false]);
  });
});
