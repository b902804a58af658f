import { ColaError } from "../errors.ts";
import { type Random, stream } from "../num/random.ts";
import type { WorkOptions } from "../types.ts";
import { ares } from "./ares.ts";
import type { Generated, Generator, Task } from "./contract.ts";
import { diceGenetic } from "./dice-genetic.ts";
import { diceGradient } from "./dice-gradient.ts";
import { diceKdtree } from "./dice-kdtree.ts";
import { diceRandom } from "./dice-random.ts";
import { direct } from "./direct.ts";
import { discount } from "./discount.ts";
import { exact } from "./exact.ts";
import { globeCe } from "./globe-ce.ts";
import { knn } from "./knn.ts";
import { nice } from "./nice.ts";

export interface GeneratorMethod {
  readonly title: string;
  readonly summary: string;
  /** What the model must offer beside its scores. */
  readonly needs: "scores" | "gradient";
  /** A row's counterfactuals depend on the other rows of the call. */
  readonly group: boolean;
  readonly generate: Generator;
}

/** Every generator by name. */
export const generators = {
  "dice-random": {
    title: "DiCE, random",
    summary: "random values in ever more features of x until the target is reached",
    needs: "scores",
    group: false,
    generate: diceRandom,
  },
  "dice-genetic": {
    title: "DiCE, genetic",
    summary: "a population of edits bred for validity, closeness, few changes and diversity",
    needs: "scores",
    group: false,
    generate: diceGenetic,
  },
  "dice-kdtree": {
    title: "DiCE, k-d tree",
    summary: "near reference rows at the target, ranked by distance and number of changes",
    needs: "scores",
    group: false,
    generate: diceKdtree,
  },
  "dice-gradient": {
    title: "DiCE, gradient",
    summary: "descent on a differentiable model's score with distance and diversity terms",
    needs: "gradient",
    group: false,
    generate: diceGradient,
  },
  exact: {
    title: "Exact: fewest edits, least change",
    summary: "the plan of fewest edits and least change over all permitted values",
    needs: "scores",
    group: false,
    generate: exact,
  },
  knn: {
    title: "Nearest neighbours",
    summary: "the nearest reference rows of the desired class, by ranks",
    needs: "scores",
    group: false,
    generate: knn,
  },
  nice: {
    title: "NICE",
    summary: "feature by feature from x to its nearest unlike neighbour",
    needs: "scores",
    group: false,
    generate: nice,
  },
  direct: {
    title: "Direct",
    summary: "one edit, then two, then three, … over training values and split thresholds",
    needs: "scores",
    group: false,
    generate: direct,
  },
  ares: {
    title: "AReS",
    summary: "a few two-level rules in words, found by local search over frequent conditions",
    needs: "scores",
    group: true,
    generate: ares,
  },
  "globe-ce": {
    title: "GLOBE-CE",
    summary: "a few directions for the whole group, each row going along as far as it must",
    needs: "scores",
    group: true,
    generate: globeCe,
  },
  discount: {
    title: "DISCOUNT",
    summary:
      "the group's score distribution becomes the desired one, its rows stay near x by Wasserstein limits",
    needs: "scores",
    group: true,
    generate: discount,
  },
} as const satisfies Readonly<Record<string, GeneratorMethod>>;

export type GeneratorName = keyof typeof generators;

/** The generator of a name; NAME_UNKNOWN lists the names there are. */
export function generatorNamed(name: string): GeneratorMethod {
  if (Object.hasOwn(generators, name)) return generators[name as GeneratorName];
  const names = Object.keys(generators);
  throw new ColaError(
    "NAME_UNKNOWN",
    `generate: there is no generator ${JSON.stringify(name)}; choose one of ${names.join(", ")}.`,
    { name, names },
  );
}

/** Options of a generator of the registry. */
export type GeneratorOptions<Name extends string> = Name extends GeneratorName
  ? Parameters<(typeof generators)[Name]["generate"]>[1]
  : object & WorkOptions;

/** Counterfactuals by a generator's name; a number is the seed of its stream. */
export async function generate<Name extends string>(
  name: Name,
  task: Task,
  options: GeneratorOptions<Name>,
  random: Random | number = 0,
): Promise<Generated> {
  const source = typeof random === "number" ? stream(random, "generate") : random;
  return generatorNamed(name).generate(task, options, source);
}
