import type { EncodingSpec } from "../../src/data/binding.ts";
import type { Overlay } from "../../src/data/overlay.ts";
import { type Random, stream } from "../../src/num/random.ts";
import type { Cell, Schema } from "../../src/types.ts";

/** A study as a person would bring it: files, and options in the words of the one table. */
export interface GeneratedStudy {
  readonly table: string;
  /** A classifier to train, or a model file. */
  readonly model: { readonly train: string } | { readonly name: string; readonly content: string };
  readonly constraints: Overlay;
  readonly schema?: Schema;
  readonly encoding?: EncodingSpec;
  /** Rows to explain that stand apart from the table. */
  readonly factuals?: readonly Readonly<Record<string, Cell>>[];
  readonly counterfactuals?: string;
  readonly options: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

const COLOURS = ["red", " green", "blue "];
const pick = <T>(random: Random, values: readonly T[]): T =>
  values[Math.floor(random.next() * values.length)]!;

interface Person {
  readonly id: string;
  readonly a: number;
  readonly b: number | null;
  readonly colour: string;
  readonly member: boolean;
}

function personOf(random: Random, i: number, gaps: boolean): Person {
  const a = Math.round(40 * random.next() - 20) / 4;
  const b = gaps && random.next() < 0.15 ? null : Math.round(10 * random.next());
  return { id: `P${i + 1}`, a, b, colour: pick(random, COLOURS), member: random.next() < 0.5 };
}

/** The score that outcomes follow. */
const merit = ({ a, b, colour, member }: Person): number =>
  a + 0.6 * ((b ?? 5) - 5) + (colour.trim() === "blue" ? 2 : 0) + (member ? 1 : -1);

/** A person's cells; with indicators the colour is one column for each level. */
function cellsOf({ id, a, b, colour, member }: Person, indicators: boolean): string[] {
  const shade = indicators
    ? COLOURS.map((level) => String(Number(level.trim() === colour.trim())))
    : [`"${colour}"`];
  return [id, String(a), b === null ? "" : String(b), ...shade, member ? "yes" : "no"];
}

const csv = (lines: readonly (readonly string[])[]): string =>
  `${lines.map((cells) => cells.join(",")).join("\n")}\n`;

/** An XGBoost file over one-hot columns: one stump on each input. */
function stumps(random: Random): string {
  const names = ["a", "b", ...COLOURS.map((level) => `colour_${level.trim()}`)];
  const trees = names.map((_, k) => {
    const cut = k < 2 ? (k === 0 ? 0.125 : 4.5) : 0.5;
    const rise = 0.4 + random.next();
    return {
      left_children: [1, -1, -1],
      right_children: [2, -1, -1],
      split_indices: [k, 0, 0],
      split_conditions: [cut, -rise, rise],
      default_left: [0, 0, 0],
      split_type: [0, 0, 0],
      categories: [],
      categories_nodes: [],
      categories_segments: [],
      categories_sizes: [],
      tree_param: {
        num_deleted: "0",
        num_feature: String(names.length),
        num_nodes: "3",
        size_leaf_vector: "1",
      },
    };
  });
  const model = {
    gbtree_model_param: { num_parallel_tree: "1", num_trees: String(trees.length), size_leaf_vector: "0" },
    tree_info: trees.map(() => 0),
    trees,
  };
  return JSON.stringify({
    learner: {
      attributes: {},
      feature_names: names,
      feature_types: [],
      gradient_booster: { name: "gbtree", model },
      learner_model_param: {
        base_score: "5E-1",
        num_class: "0",
        num_feature: String(names.length),
        num_target: "1",
      },
      objective: { name: "binary:logistic" },
    },
    version: [1, 7, 4],
  });
}

/** Counterfactuals: people of merit, with the ids of others in any order, some without any; or nobody's. */
function ownOf(random: Random, people: readonly Person[], indicators: boolean, paired: boolean): string[][] {
  const good = people.filter((person) => merit(person) > 1.5);
  const short = people.filter((person) => merit(person) < -1).slice(0, 12);
  if (!paired) return good.slice(0, 15).map((person) => cellsOf(person, indicators));
  const some = Array.from(random.sample(short.length, short.length - 2));
  return some.map((i) => cellsOf({ ...pick(random, good), id: short[i]!.id }, indicators));
}

/** Options of the goal and the method, by turns. */
function optionsOf(random: Random, k: number): Record<string, string | number> {
  const each = [
    {},
    { alternatives: 2 },
    { perRow: 1 },
    { coupling: "joint" },
    { coupling: "nearest", policy: "greedy" },
  ];
  const group = [{ effect: 0.5 }, { effect: 0.9, divergence: "mmd" }, { effect: 1, policy: "sample" }];
  const goal = k % 3 === 2 ? pick(random, group) : pick(random, each);
  const generator = pick(random, ["knn", "knn", "nice", "dice-random", "direct"]);
  return { rows: 3 + (k % 4), seed: k % 5, generator, id: "id", ...goal };
}

/** The k-th study: ids, gaps, blanks, one-hot columns and models, own counterfactuals, goals and seeds by turns. */
export function generatedStudy(k: number): GeneratedStudy {
  const random = stream(k, "study");
  const indicators = k % 4 === 1;
  const people = Array.from({ length: 70 }, (_, i) => personOf(random, i, k % 2 === 0));
  const shade = indicators ? COLOURS.map((level) => `colour_${level.trim()}`) : ["colour"];
  const outcome = (person: Person): string =>
    merit(person) > 0 ? "granted" : k % 2 ? " refused " : "refused";
  const names = ["id", "a", "b", ...shade, "member"];
  const file = k % 5 === 3;
  const table = csv([
    [...names, ...(file ? [] : ["outcome"])],
    ...people.map((one) => [...cellsOf(one, indicators), ...(file ? [] : [`"${outcome(one)}"`])]),
  ]);
  const own = k % 3 === 0 ? ownOf(random, people, indicators, k % 6 === 0) : undefined;
  const train = pick(random, ["logistic", "tree", "forest", "xgboost"]);
  const { generator, ...options } = optionsOf(random, k);
  return {
    table,
    model: file ? { name: "model.json", content: stumps(random) } : { train },
    constraints: { features: k % 2 ? { a: { max: 4 } } : { member: { immutable: true } } },
    ...(own ? { counterfactuals: csv([names, ...own]) } : {}),
    options: {
      ...options,
      ...(own ? {} : { generator: generator! }),
      ...(file ? { target: "score >= 0.5" } : { label: "outcome", target: "granted" }),
    },
  };
}
