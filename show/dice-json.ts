import type { Explanation } from "../src/explanation.ts";
import type { Cell } from "../src/types.ts";
import { cellsWith, freeName, predictedLabel } from "./export.ts";

/** The JSON contract of DiCE's counterfactual explanations, schema version 2.0. */
export interface DiceJson {
  /** n × 1 rows: the factuals, outcome last. */
  readonly test_data: readonly (readonly (readonly Cell[])[])[];
  /** n × plans rows: the plan of each row, then its alternatives; empty where there is no plan. */
  readonly cfs_list: readonly (readonly (readonly Cell[])[])[];
  /** Share of a row's plans that change each feature. */
  readonly local_importance: readonly (readonly number[])[];
  /** Share of all plans that change each feature. */
  readonly summary_importance: readonly number[];
  readonly data_interface: { readonly outcome_name: string; readonly data_df: string };
  readonly feature_names: readonly string[];
  readonly feature_names_including_target: readonly string[];
  readonly model_type: "classifier" | "regressor";
  readonly desired_class: string | number | null;
  readonly desired_range: readonly [number, number] | null;
  readonly metadata: Readonly<Record<string, string>> & { readonly version: "2.0" };
}

export interface DiceJsonOptions {
  /** Name of the outcome column. Default `outcome`. */
  readonly outcome?: string;
}

/** Plans as DiCE's JSON, for tools that show counterfactuals in that form. */
export function diceJson(explanation: Explanation, options: DiceJsonOptions = {}): DiceJson {
  const { schema, rows, outputs, versions, runHash } = explanation;
  const features = schema.features.map((f) => f.name);
  const outcome = freeName(options.outcome ?? "outcome", features);
  const plans = rows.map((row) =>
    row.edits.length > 0 ? [row.edits, ...row.alternatives.map(({ edits }) => edits)] : [],
  );
  const label = (score: number | null, valid: boolean | null): Cell =>
    outputs.length === 1 ? score : predictedLabel(explanation, score, valid);
  const changed = (some: readonly (typeof plans)[number][]): number[] => {
    const all = some.flat();
    const count = (name: string): number => all.filter((p) => p.some((e) => e.feature === name)).length;
    return features.map((name) => (all.length === 0 ? 0 : count(name) / all.length));
  };
  return {
    test_data: rows.map((row) => [[...row.x, label(row.before, null)]]),
    cfs_list: rows.map((row, i) =>
      plans[i]!.map((edits, p) => {
        const score = p === 0 ? row.after : null;
        return [...cellsWith(schema, row, edits), label(score, p === 0 && row.valid)];
      }),
    ),
    local_importance: plans.map((own) => changed([own])),
    summary_importance: changed(plans),
    data_interface: { outcome_name: outcome, data_df: "dummy_data" },
    feature_names: features,
    feature_names_including_target: [...features, outcome],
    model_type: outputs.length === 1 ? "regressor" : "classifier",
    ...desired(explanation),
    metadata: { version: "2.0", generator: `cola-xai ${versions["cola-xai"]}`, run: runHash },
  };
}

function desired({ goal, output, outputs }: Explanation): Pick<DiceJson, "desired_class" | "desired_range"> {
  if (goal.kind === "group") return { desired_class: null, desired_range: null };
  const { target } = goal;
  if ("class" in target) {
    const classes = [target.class].flat();
    const single = outputs.length === 2 ? output : target.not || classes.length !== 1 ? null : classes[0]!;
    return { desired_class: single, desired_range: null };
  }
  const low = Math.max(target.above ?? -Number.MAX_VALUE, target.min ?? -Number.MAX_VALUE);
  const high = Math.min(target.below ?? Number.MAX_VALUE, target.max ?? Number.MAX_VALUE);
  return { desired_class: outputs.length === 1 ? null : output, desired_range: [low, high] };
}
