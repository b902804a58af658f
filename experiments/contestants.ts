/** Ours: reference and edits chosen together, as far as a row likes, and no farther than its transport proposal. */
export const FREE = "joint + minimal";
export const CAPPED = "joint + minimal, capped";

/** Any legal value: fewest edits, then least change. */
const EXACT = "exact";

/** A row of the contest. `match` is the best reference of the pool for each row. */
export type Contestant =
  | {
      readonly name: string;
      readonly kind: "refine";
      readonly coupling: "exact" | "nearest" | "transport" | "match" | "joint";
      readonly attribution: "none" | "RB" | "p-SHAP";
      readonly policy: "sample" | "top" | "greedy" | "minimal";
      readonly stop: "goal" | "budget";
    }
  | { readonly name: string; readonly kind: "greedy on q" }
  | { readonly name: string; readonly kind: "exact" }
  | { readonly name: string; readonly kind: "joint"; readonly cap: "transport" | "none" }
  | {
      readonly name: string;
      readonly kind: "generate";
      readonly generator: "nice" | "dice-random" | "direct";
    };

/** Does it look inside models that show it, so that it asks for fewer rows than of a plain function? */
export function looksInside(contestant: Contestant): boolean {
  if (contestant.kind === "generate") return contestant.generator === "direct";
  if (contestant.kind !== "refine") return contestant.kind === "joint" || contestant.kind === "exact";
  return contestant.policy === "minimal" || contestant.attribution !== "none";
}

const onTransport = { kind: "refine", coupling: "transport", attribution: "p-SHAP" } as const;

/** Every row of every contest; ours are the last ones. */
export const CONTESTANTS: readonly Contestant[] = [
  { name: "paper sampling", ...onTransport, policy: "sample", stop: "budget" },
  { name: "sampling, stop and prune", ...onTransport, policy: "sample", stop: "goal" },
  { name: "top-φ, stop and prune", ...onTransport, policy: "top", stop: "goal" },
  {
    name: "random order, stop and prune",
    ...onTransport,
    attribution: "none",
    policy: "sample",
    stop: "goal",
  },
  { name: "greedy on q, no attribution", kind: "greedy on q" },
  { name: "nice", kind: "generate", generator: "nice" },
  { name: "DiCE, post-hoc sparsity", kind: "generate", generator: "dice-random" },
  { name: "direct", kind: "generate", generator: "direct" },
  { name: EXACT, kind: "exact" },
  { name: "transport + minimal", ...onTransport, attribution: "none", policy: "minimal", stop: "goal" },
  {
    name: "best reference + minimal",
    ...onTransport,
    coupling: "match",
    attribution: "none",
    policy: "minimal",
    stop: "goal",
  },
  { name: CAPPED, kind: "joint", cap: "transport" },
  { name: FREE, kind: "joint", cap: "none" },
];

/** Coupling × attribution × policy: what each part buys. */
export const ABLATION: readonly Contestant[] = (
  ["exact", "nearest", "transport", "match", "joint"] as const
).flatMap((coupling) => [
  ...(["none", "RB", "p-SHAP"] as const).flatMap((attribution) =>
    (["sample", "top", "greedy"] as const).map((policy) => ({
      name: `${coupling} × ${attribution} × ${policy}`,
      kind: "refine" as const,
      coupling,
      attribution,
      policy,
      stop: "goal" as const,
    })),
  ),
  {
    name: `${coupling} × none × minimal`,
    kind: "refine" as const,
    coupling,
    attribution: "none" as const,
    policy: "minimal" as const,
    stop: "goal" as const,
  },
]);

export type GoalName = "label" | "score";
