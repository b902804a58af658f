import { couplings } from "../src/couple/registry.ts";
import { generators } from "../src/generate/registry.ts";
import { readers } from "../src/read/readers.ts";
import { models } from "../src/train/registry.ts";
import { type OptionName, type OptionSpec, optionRows } from "./options.ts";

/** An option as a page shows it: a control with a label, a sentence, and names with their titles to choose from. */
export interface OfferedOption extends Pick<OptionSpec, "kind" | "min" | "max" | "default" | "help"> {
  readonly name: OptionName;
  readonly label: string;
  readonly choices?: readonly (readonly [name: string, title: string])[];
}

/** What can be chosen, in words: plain data, so that a page need not load what it names. */
export interface Offers {
  readonly options: readonly OfferedOption[];
  readonly models: readonly (readonly [name: string, title: string])[];
  /** Formats of model files, and how their names end. */
  readonly files: { readonly titles: string; readonly endings: readonly string[] };
}

/** Titles that say more than those of the registries, or of what is in no registry that has titles. */
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
};

type Titled = Readonly<Record<string, { readonly title?: string }>>;

export function offers(): Offers {
  const titled: Titled = { ...couplings, ...generators };
  const pair = (name: string) => [name, TITLES[name] ?? titled[name]?.title ?? name] as const;
  return {
    options: optionRows.flatMap(([name, { page, choices, kind, min, max, help, default: fallback }]) =>
      page === undefined
        ? []
        : [
            {
              ...{ name, label: page, kind, help },
              ...(choices ? { choices: choices.map(pair) } : {}),
              ...(min === undefined ? {} : { min }),
              ...(max === undefined ? {} : { max }),
              ...(fallback === undefined ? {} : { default: fallback }),
            },
          ],
    ),
    models: Object.entries(models).map(([name, { title }]) => [name, title]),
    files: {
      titles: Object.values(readers)
        .map(({ title }) => title)
        .join(", "),
      endings: [...new Set(Object.values(readers).flatMap(({ endings }) => endings))],
    },
  };
}
