/** What a model is asked for: to find the rows that miss the target, for counterfactuals, for plans, about kept plans. */
export const PURPOSES = ["rows", "references", "plans", "kept"] as const;
type Purpose = (typeof PURPOSES)[number];

/** Counts the rows that a model is asked to score, by what for. */
export interface Asked {
  /** The counter of one purpose, as work options take it. */
  for(purpose: Purpose): { readonly within: { charge(rows: number): void } };
  readonly counts: Readonly<Record<Purpose, number>>;
}

export function countAsked(): Asked {
  const counts = { rows: 0, references: 0, plans: 0, kept: 0 };
  return {
    counts,
    for: (purpose) => ({
      within: {
        charge(rows) {
          counts[purpose] += rows;
        },
      },
    }),
  };
}
