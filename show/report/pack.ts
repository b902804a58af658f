import { hasLevels, levelIndex, levelsOf } from "../../src/data/schema.ts";
import type { Edit, ExplainedRow, Plan } from "../../src/explanation.ts";
import type { Cell, Feature, Goal, RowStatus, Schema } from "../../src/types.ts";
import type { Locale } from "../locales/contract.ts";
import { translate } from "../messages.ts";
import { principalReasons, type ReasonCodes } from "../reasons.ts";
import { remarks } from "../remarks.ts";
import { proofSentence } from "../sentences.ts";
import { waterfallSteps } from "../steps.ts";

/** What a card says of a row. */
export interface ReportRow
  extends Pick<
    ExplainedRow,
    | "row"
    | "id"
    | "status"
    | "valid"
    | "before"
    | "after"
    | "proposed"
    | "base"
    | "x"
    | "attributions"
    | "typical"
    | "edits"
    | "proposal"
    | "alternatives"
  > {
  readonly reason: string | null;
  /** What is proven, as a sentence. */
  readonly proof: string | null;
  /** What else is said of the plan, as sentences. */
  readonly notes: readonly string[];
  /** The least change with the fewest edits, with one more, and so on. */
  readonly front: readonly Plan[];
  /** Space of the attributions, null where there are none. */
  readonly space: "score" | "margin" | null;
}

/** What all cards share. */
export interface ReportContext {
  readonly locale: Locale;
  readonly schema: Schema;
  readonly goal: Goal;
  readonly outputs: readonly string[];
  readonly output: string;
  readonly codes: ReasonCodes;
}

export function reportRow(told: ExplainedRow, { schema, locale }: ReportContext): ReportRow {
  const { row, id, status, valid, before, after, proposed, base, x, attributions, edits, proposal } = told;
  const { front: _, ...rest } = told;
  const plan = ({ edits: own, change }: Plan): Plan => ({
    edits: own,
    ...(change === undefined ? {} : { change: Number(change.toPrecision(3)) }),
  });
  return {
    ...{ row, status, valid, before, after, proposed, base, x, attributions, edits, proposal },
    ...(id === undefined || id === null ? {} : { id }),
    ...(told.typical ? { typical: ofReasons(told, schema, locale) } : {}),
    alternatives: told.alternatives.map(plan),
    reason: told.reason === undefined ? null : translate(told.reason, locale),
    proof: told.proof && proofSentence(told.proof, locale, schema),
    notes: remarks(schema, rest, locale),
    front: (told.front ?? []).map(plan),
    space: waterfallSteps(told)?.space ?? null,
  };
}

/** What is typical at the target, of the features that are told as reasons alone. */
function ofReasons(row: ExplainedRow, schema: Schema, locale: Locale): Cell[] {
  const told = new Set(principalReasons(schema, row, { locale }).map(({ feature }) => feature));
  return row.typical!.map((cell, k) => (told.has(schema.features[k]!.name) ? cell : null));
}

type PackedEdits = readonly (readonly [feature: number, to: Cell])[];
type PackedPlan = readonly [change: number | null, edits: PackedEdits];

/** A row as a list: an edit is the position of its feature and its new value, a level is its index. */
export type PackedRow = readonly [
  row: number,
  id: Cell,
  status: RowStatus,
  valid: 0 | 1,
  reason: string | null,
  scores: readonly (number | null)[],
  space: ReportRow["space"],
  /** Position in the list of proofs, −1 for none. */
  proof: number,
  x: readonly Cell[],
  attributions: readonly number[],
  edits: PackedEdits,
  proposal: PackedEdits,
  alternatives: readonly PackedPlan[],
  /** Positions in the list of proofs. */
  notes: readonly number[],
  front: readonly PackedPlan[],
  /** Typical values by the position of their feature; null where none are known. */
  typical: PackedEdits | null,
];

/** Packs rows one by one; sentences, many of which rows share, are collected in `proofs`. */
export function packer({ features }: Schema): { proofs: string[]; pack(row: ReportRow): PackedRow } {
  const proofs: string[] = [];
  const position = new Map(features.map((f, k) => [f.name, k]));
  const places = new Map<string, number>();
  const proofAt = (proof: string | null): number => {
    if (proof === null) return -1;
    if (!places.has(proof)) places.set(proof, proofs.push(proof) - 1);
    return places.get(proof)!;
  };
  const edits = (list: readonly Edit[]): PackedEdits =>
    list.map(({ feature, to }) => {
      const k = position.get(feature)!;
      return [k, packCell(features[k]!, to)];
    });
  const plan = ({ change, edits: own }: Plan): PackedPlan => [change ?? null, edits(own)];
  const pack = (row: ReportRow): PackedRow => [
    row.row,
    row.id ?? null,
    row.status,
    row.valid ? 1 : 0,
    row.reason,
    [row.before, row.after, row.proposed, row.base],
    row.space,
    proofAt(row.proof),
    row.x.map((cell, k) => packCell(features[k]!, cell)),
    row.attributions.map((phi) => Number(phi.toPrecision(5))),
    edits(row.edits),
    edits(row.proposal),
    row.alternatives.map(plan),
    row.notes.map(proofAt),
    row.front.map(plan),
    row.typical?.flatMap((cell, k) =>
      cell === null ? [] : ([[k, packCell(features[k]!, cell)]] as const),
    ) ?? null,
  ];
  return { proofs, pack };
}

/** The inverse of `pack`; attributions come back with five significant digits. */
export function unpack({ features }: Schema, proofs: readonly string[], packed: PackedRow): ReportRow {
  const [row, id, status, valid, reason, scores, space, proof, cells, attributions, ...plans] = packed;
  const x = cells.map((cell, k) => unpackCell(features[k]!, cell));
  const edits = (list: PackedEdits): Edit[] =>
    list.map(([k, to]) => ({
      feature: features[k]!.name,
      from: x[k]!,
      to: unpackCell(features[k]!, to),
      attribution: attributions[k]!,
    }));
  const plan = ([change, own]: PackedPlan): Plan => ({
    edits: edits(own),
    ...(change === null ? {} : { change }),
  });
  const typicalOf = (list: PackedEdits): Cell[] => {
    const at = new Map(list);
    return features.map((feature, k) => unpackCell(feature, at.get(k) ?? null));
  };
  const [before, after, proposed, base] = scores as [number, number, number, number];
  return {
    row,
    ...(id === null ? {} : { id }),
    status,
    valid: valid === 1,
    reason,
    before,
    after,
    proposed,
    base,
    space,
    proof: proofs[proof] ?? null,
    x,
    attributions,
    edits: edits(plans[0]),
    proposal: edits(plans[1]),
    alternatives: plans[2].map(plan),
    notes: plans[3].map((at) => proofs[at]!),
    front: plans[4].map(plan),
    ...(plans[5] ? { typical: typicalOf(plans[5]) } : {}),
  };
}

function packCell(feature: Feature, cell: Cell): Cell {
  const level = hasLevels(feature) && cell !== null ? levelIndex(feature, cell) : -1;
  return level < 0 ? cell : level;
}

function unpackCell(feature: Feature, cell: Cell): Cell {
  if (typeof cell !== "number" || !hasLevels(feature)) return cell;
  if (feature.kind === "boolean" && !feature.categories) return cell === 1;
  return levelsOf(feature)[cell] ?? cell;
}
