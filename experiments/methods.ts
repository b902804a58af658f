/** A method of the paper: a coupling, a background for Shapley, and the data set's value rule. */
export interface PaperMethod {
  readonly name: string;
  readonly coupling: "uniform" | "transport" | "random" | "exact";
  /** RB: training rows; CF: the references, weighed by the coupling. */
  readonly shapley: "RB" | "CF";
}

export const PAPER_METHODS: readonly PaperMethod[] = [
  { name: "RB-p_Uni", coupling: "uniform", shapley: "RB" },
  { name: "RB-p_OT", coupling: "transport", shapley: "RB" },
  { name: "CF-p_Uni", coupling: "uniform", shapley: "CF" },
  { name: "CF-p_Rnd", coupling: "random", shapley: "CF" },
  { name: "CF-p_OT", coupling: "transport", shapley: "CF" },
  { name: "CF-p_Ect", coupling: "exact", shapley: "CF" },
];

/** Ours: the same coupling and attribution, another choice of cells; or the fewest edits over all values, without a coupling. */
export type OwnMethod =
  | {
      readonly name: string;
      readonly coupling: "transport" | "joint";
      readonly policy: "top" | "greedy" | "minimal";
    }
  | { readonly name: string; readonly coupling: "none" };

export const OWN_METHODS: readonly OwnMethod[] = [
  { name: "OT + top", coupling: "transport", policy: "top" },
  { name: "OT + greedy", coupling: "transport", policy: "greedy" },
  { name: "OT + minimal", coupling: "transport", policy: "minimal" },
  { name: "joint + minimal", coupling: "joint", policy: "minimal" },
  { name: "exact", coupling: "none" },
];

export const LEVELS = [0.8, 1] as const;
export const DIVERGENCES = ["OT", "MMD", "MeanD", "MedianD"] as const;
export type Divergence = (typeof DIVERGENCES)[number];
