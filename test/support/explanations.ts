import { compileConstraints } from "../../src/data/constraints.ts";
import { bind, encodeRows, fitEncoder } from "../../src/data/encode.ts";
import { loanClasses, loans } from "../../src/data/loans.ts";
import { decodeCell, levelsOf, tableToMatrix } from "../../src/data/schema.ts";
import { explain } from "../../src/explain.ts";
import type { Edit, ExplainedRow, Explanation } from "../../src/explanation.ts";
import { generate } from "../../src/generate/registry.ts";
import { takeRows } from "../../src/num/matrix.ts";
import { type Random, stream } from "../../src/num/random.ts";
import { fit } from "../../src/train/registry.ts";
import type { Cell, Feature, Goal, Kind, Schema } from "../../src/types.ts";

/** Refused applications of the embedded data, their nearest granted neighbours as counterfactuals, real plans. */
export async function loansExplanation(rows = 12, goal?: Goal): Promise<Explanation> {
  const { table, schema, labels } = loans();
  const all = tableToMatrix(schema, table);
  const encoder = fitEncoder(schema, all);
  const random = stream(0, "show");
  const classes = [...loanClasses];
  const model = bind(await fit("logistic", encodeRows(encoder, all), labels, { classes }, random), encoder);
  const scores = await model.predict(all);
  const refused = Array.from(scores.keys()).filter((i) => scores[i]! <= 0.5);
  const x = takeRows(all, refused.slice(0, rows));
  const target = { class: "granted" } as const;
  const constraints = compileConstraints(schema);
  const made = await generate("knn", { model, x, references: all, constraints, target }, {}, random);
  return explain({
    model,
    x,
    schema,
    references: made.rows,
    training: all,
    goal: goal ?? { kind: "each", target },
    coupling: "transport",
    ids: Array.from({ length: rows }, (_, i) => `A-${1000 + i}`),
  });
}

const KINDS: readonly Kind[] = ["numeric", "integer", "ordinal", "categorical", "boolean"];

export interface MadeUp {
  readonly rows: number;
  readonly cols: number;
  readonly seed?: number;
  /** Put in front of every name, label, unit, level and id. */
  readonly prefix?: string;
  readonly goal?: Goal;
}

/** An explanation nobody computed, but shaped like one: every kind of feature, status and proof occurs. */
export function madeUpExplanation({ rows, cols, seed = 1, prefix = "", goal }: MadeUp): Explanation {
  const random = stream(seed, "explanation");
  const features = Array.from({ length: cols }, (_, k) => feature(k, prefix));
  const schema: Schema = { features };
  const told = Array.from({ length: rows }, (_, row) => madeUpRow(random, schema, row, prefix));
  const edits = told.reduce((sum, row) => sum + row.edits.length, 0);
  return {
    schemaVersion: 2,
    versions: { "cola-xai": "0.0.0" },
    seed,
    runHash: "0123456789abcdef".repeat(4),
    goal: goal ?? { kind: "each", target: { class: `${prefix}yes` } },
    outputs: [`${prefix}no`, `${prefix}yes`],
    output: `${prefix}yes`,
    schema,
    method: { coupling: "match", value: "most-likely", policy: "minimal", dependsOnGroup: false },
    options: { coupling: `${prefix}match`, budget: null, seed },
    rows: told,
    curve: Array.from({ length: edits + 1 }, (_, e) => ({
      edits: e,
      divergence: 1 - e / Math.max(1, edits),
      effect: e / Math.max(1, edits),
    })),
    effect: { divergence: "w1", on: "score", before: 0.5, after: 0.1, share: 0.8 },
    coupling: { name: "match", cost: 1, gap: 0, converged: true, entries: rows },
    attribution: { exact: true, space: "score", residual: 1e-16 },
    totals: {
      rows,
      ok: told.filter((row) => row.status === "ok").length,
      valid: told.filter((row) => row.valid).length,
      editsProposed: told.reduce((sum, row) => sum + row.proposal.length, 0),
      edits,
    },
  };
}

function feature(k: number, prefix: string): Feature {
  const kind = KINDS[k % KINDS.length]!;
  const levels = kind === "ordinal" || kind === "categorical";
  return {
    name: `${prefix}f${k}`,
    kind,
    label: `${prefix}Feature ${k}`,
    ...(kind === "numeric" ? { unit: `${prefix}kg`, min: 0 } : {}),
    ...(levels ? { categories: [0, 1, 2, 3].map((level) => `${prefix}level ${level}`) } : {}),
    ...(k === 1 ? { immutable: true } : {}),
  };
}

function draw(random: Random, feature: Feature): Cell {
  if (feature.kind === "numeric") return Math.round(random.next() * 1e6) / 100;
  if (feature.kind === "integer") return random.int(100);
  return decodeCell(feature, random.int(levelsOf(feature).length));
}

function madeUpRow(random: Random, { features }: Schema, row: number, prefix: string): ExplainedRow {
  const x = features.map((f) => (random.next() < 0.02 ? null : draw(random, f)));
  const before = random.next() / 2;
  const fails = row % 17 === 5;
  const proposal = features.flatMap((f, k): Edit[] => {
    const to = draw(random, f);
    const changes = !f.immutable && random.next() < 0.5 && to !== x[k] && x[k] !== null;
    return changes ? [{ feature: f.name, from: x[k]!, to, attribution: random.normal() / 10 }] : [];
  });
  const edits = fails ? [] : proposal.slice(0, 1 + random.int(4));
  const phi = new Map(proposal.map((edit) => [edit.feature, edit.attribution]));
  const attributions = features.map((f) => phi.get(f.name) ?? 0);
  return {
    row,
    id: `${prefix}id-${row}`,
    status: fails ? "infeasible" : "ok",
    ...(fails ? { reason: `${prefix}unlock f1` } : {}),
    x,
    edits,
    proposal,
    alternatives:
      row % 5 === 0 && proposal.length > 4 && edits.length === 1
        ? [{ edits: proposal.slice(2, 3), change: 1.5 }, { edits: proposal.slice(3, 4) }]
        : [],
    reference: row,
    before,
    after: fails ? before : 0.5 + random.next() / 2,
    proposed: 0.9,
    margin: 0.1,
    valid: !fails,
    proof: fails
      ? { claim: "none exists", scope: "references", references: [1, 2, 3] }
      : { claim: "optimal", scope: row % 2 ? "model" : "references", references: [row] },
    attributions,
    base: before - attributions.reduce((sum, v) => sum + v, 0),
    distance: { z: 1, q: 2 },
  };
}
