import { couplings } from "../src/couple/registry.ts";
import { divergences } from "../src/evaluate/divergence.ts";
import { generators } from "../src/generate/registry.ts";
import { readers } from "../src/read/readers.ts";
import { models } from "../src/train/registry.ts";
import { type OptionName, type OptionSpec, optionRows } from "./options.ts";

/** An option as a page shows it: a control with a label, a sentence, and names with their titles to choose from. */
export interface OfferedOption
  extends Pick<OptionSpec, "part" | "kind" | "min" | "max" | "default" | "help"> {
  readonly name: OptionName;
  readonly label: string;
  readonly choices?: readonly (readonly [name: string, title: string])[];
}

/** What can be chosen, in words: plain data, so that a page need not load what it names. */
export interface Offers {
  readonly options: readonly OfferedOption[];
  readonly models: readonly (readonly [name: string, title: string])[];
  /** Formats of model files beside our own, and how the names of model files end. */
  readonly files: { readonly titles: string; readonly endings: readonly string[] };
}

type Said = Readonly<Record<string, { readonly title?: string; readonly summary: string }>>;

/** Where the names of an option come from, and are given titles. */
const REGISTRIES: Readonly<Partial<Record<OptionName, Said>>> = {
  coupling: couplings,
  generator: generators,
  divergence: divergences,
};

/** Titles that say more than those of the registries, or of what is in no registry. */
const TITLES: Readonly<Record<string, string>> = {
  knn: "Nearest neighbours at the target",
  direct: "Direct: one edit, then two, …",
  ares: "AReS: rules for the group",
  "globe-ce": "GLOBE-CE: directions for the group",
  discount: "DISCOUNT: the group's distribution",
  match: "Best counterfactual per person",
  joint: "Best for all together",
  minimal: "Fewest edits, proven",
  greedy: "Greedy by attribution",
  top: "Largest attributions",
  sample: "Drawn by attribution (paper)",
  reference: "Those of real rows",
  near: "Those of the nearest real rows, mixed",
  least: "Any, least change",
  edits: "Number of edits",
  cost: "Sum of their costs",
  change: "How much they change",
};

function titleOf(option: OptionName, name: string): string {
  const { title, summary } = REGISTRIES[option]?.[name] ?? {};
  return TITLES[name] ?? title ?? summary ?? name;
}

export function offers(): Offers {
  return {
    options: optionRows.flatMap(([name, { part, page, choices, kind, min, max, help, default: fallback }]) =>
      page === undefined
        ? []
        : [
            {
              ...{ name, label: page, kind, help },
              ...(choices ? { choices: choices.map((one) => [one, titleOf(name, one)] as const) } : {}),
              ...(part ? { part } : {}),
              ...(min === undefined ? {} : { min }),
              ...(max === undefined ? {} : { max }),
              ...(fallback === undefined ? {} : { default: fallback }),
            },
          ],
    ),
    models: Object.entries(models).map(([name, { title }]) => [name, title]),
    files: {
      titles: Object.entries(readers)
        .flatMap(([name, { title }]) => (name === "saved" ? [] : [title]))
        .join(", "),
      endings: [...new Set(Object.values(readers).flatMap(({ endings }) => endings))],
    },
  };
}
