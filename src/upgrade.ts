import type { Edit, ExplainedRow, Explanation, SafeValues } from "./explanation.ts";

/** What an explanation of version 1 said otherwise. */
type Version1 = Omit<Explanation, "schemaVersion" | "rows"> & {
  readonly schemaVersion: 1;
  readonly rows: readonly Row1[];
};

type Row1 = Omit<ExplainedRow, "alternatives" | "ranges"> & {
  readonly alternatives: readonly (readonly Edit[])[];
  /** `to` is null where no legal value lies beyond. */
  readonly ranges?: readonly Pick<SafeValues, "feature" | "from" | "to">[];
};

/**
 * A stored explanation of any version, as the present one says it; undefined for what calls itself none. Throws where
 * one of version 1 is damaged.
 */
export function upgradeExplanation(value: unknown): Explanation | undefined {
  const it = value as Partial<Explanation | Version1> | null;
  if (!Array.isArray(it?.rows)) return undefined;
  if (it.schemaVersion === 2) return it as Explanation;
  if (it.schemaVersion !== 1) return undefined;
  const old = it as Version1;
  const values = old.options?.["values"] ?? "reference";
  return {
    ...old,
    schemaVersion: 2,
    options: { ...old.options, values },
    rows: old.rows.map(rowOf1),
  };
}

function rowOf1({ alternatives, ranges, ...row }: Row1): ExplainedRow {
  return {
    ...row,
    ...(ranges ? { ranges: ranges.map(rangeOf1) } : {}),
    alternatives: alternatives.map((edits) => ({ edits })),
  };
}

const rangeOf1 = (range: Pick<SafeValues, "feature" | "from" | "to">): SafeValues => ({
  ...range,
  open: range.to === null,
  known: "certified",
});
