import type { Certificate, Column, FlatModel, Goal, Input, Sum, Tree } from "../certificate.ts";
import type { InputSpec } from "../data/binding.ts";
import type { Constraints } from "../data/constraints.ts";
import { hasLevels, levelsOf } from "../data/schema.ts";
import { ColaError, messageOf } from "../errors.ts";
import { columnsOf } from "../exact/columns.ts";
import type { Json } from "../flatten/file.ts";
import { inputsOf } from "../flatten/flatten.ts";
import { wantedOutputs } from "../model/target.ts";
import { NODE, goesLeft as nodeGoesLeft } from "../model/trees/structure.ts";
import { takeRows } from "../num/matrix.ts";
import type { Matrix, Model, Reach, Structure, Trees } from "../types.ts";
import { type Nearest, numbersOf } from "../verify/legal.ts";
import { waysOf } from "../verify/proof.ts";
import { encode, goesLeft } from "../verify/score.ts";

/** What rows are certified of. */
export interface CertifyQuestion {
  readonly model: Model;
  readonly constraints: Constraints;
  readonly reach: Reach;
  readonly minMargin?: number;
  /** Rows that tell ends, decimals and scale of the columns. */
  readonly table: Matrix;
}

/** Everything of a certificate but its rows; OPTION_INVALID where the model, the target or the rules have none. */
export function headerOf(question: CertifyQuestion): Omit<Certificate, "rows"> {
  const { model, constraints, reach, minMargin = 0, table } = question;
  const { schema } = constraints;
  if (constraints.hasRules || constraints.hasDerived)
    throw none("rules between columns and derived columns are not written down in it");
  const inner = model.encoding?.model ?? model;
  const flat = flatModel(inner);
  const inputs = flatInputs(model, constraints, table);
  const told = columnsOf(constraints, table);
  const columns = schema.features.map(
    (_, k): Column => ({
      low: told.low[k]!,
      high: told.high[k]!,
      decimals: told.decimals[k]!,
      weight: told.weights[k]!,
    }),
  );
  const target = goalOf(inner, reach, minMargin);
  const linear = flat.sums.some(({ weights }) => weights);
  if (linear && demandsOf(flat, target).some((way) => way.length > 1))
    throw none(
      "plans of linear models have one where the target is one end of one score, not for ranges or several classes",
    );
  const head = { format: "cola-certificate", version: 1, schema: { features: schema.features } } as const;
  return {
    ...head,
    columns,
    inputs,
    model: flat,
    target,
    cells: cellsOf(constraints, columns, inputs, flat),
  };
}

function demandsOf(model: FlatModel, target: Goal): ReturnType<typeof waysOf> {
  try {
    return waysOf(model, target);
  } catch (error) {
    throw none(messageOf(error));
  }
}

function none(why: string): ColaError {
  return new ColaError("OPTION_INVALID", `certificate: ${why}; leave options.certificate out.`);
}

function flatModel(model: Model): FlatModel {
  const structures = model.outputs.map((_, o) => model.structure?.(o));
  const own = structures.at(-1);
  if (!own || structures.includes(undefined))
    throw none("it is for trees and linear models whose inside is known here");
  const all = structures as Structure[];
  const two = all.length === 2 && own.link !== "softmax" && isComplement(all[0]!, all[1]!);
  const trees = own.kind === "trees" ? own : undefined;
  return {
    outputs: all.length,
    link: own.link,
    below: trees ? !trees.inclusive : false,
    float32: trees?.float32 ?? false,
    single: own.single ?? false,
    skipsMissing: own.kind === "linear" && own.skipsMissing === true,
    sums: (two ? [own] : all).map(sumOf),
  };
}

/** Is the first of two outputs what the second leaves? */
function isComplement(a: Structure, b: Structure): boolean {
  const [of, other] = [a, b].map((s) => (s.kind === "trees" ? s.value : s.weights)) as [
    Float64Array,
    Float64Array,
  ];
  return of.length === other.length && of.every((v, i) => v === 0 - other[i]!);
}

function sumOf(structure: Structure): Sum {
  if (structure.kind === "linear")
    return { base: structure.intercept, weights: Array.from(structure.weights) };
  return { base: structure.base, trees: Array.from(structure.roots, (root) => treeOf(structure, root)) };
}

function treeOf(trees: Trees, node: number): Tree {
  const column = trees.feature[node]!;
  if (column < 0) return trees.value[node]!;
  const flags = trees.flags[node]!;
  if ((flags & NODE.zeroIsMissing) !== 0) throw none("a tree that takes zeros for missing values has none");
  const gapLeft = nodeGoesLeft(trees, node, Number.NaN) ? 1 : 0;
  const [left, right] = [treeOf(trees, trees.left[node]!), treeOf(trees, trees.right[node]!)];
  const edge = Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, trees.threshold[node]!));
  if ((flags & NODE.categorical) === 0) return [column, edge, gapLeft, left, right];
  const words = trees.categoryWords!.subarray(trees.categoryStart![node], trees.categoryStart![node + 1]);
  const members = Array.from({ length: 32 * words.length }, (_, c) => c).filter(
    (c) => ((words[c >> 5]! >>> (c & 31)) & 1) === 1,
  );
  if ((flags & NODE.membersRight) === 0) return [column, members, gapLeft, left, right];
  return [column, members, gapLeft === 1 ? 0 : 1, right, left];
}

/** Rows on which the inputs told are compared with those the model gets. */
const PROBES = 500;

/** How features become inputs: as the saved model says, or as the levels do when they are encoded one by one. */
function flatInputs(model: Model, { schema }: Constraints, table: Matrix): Input[] {
  const { features } = schema;
  if (!model.encoding) return features.map((_, k) => ({ feature: k, shift: 0, scale: 1, missing: null }));
  const saved = model.toJSON?.() as Json;
  const inputs: Input[] = saved?.encoder
    ? inputsOf(saved.encoder)
    : bound(model, features, saved?.spec?.inputs);
  const probe = takeRows(
    table,
    Int32Array.from({ length: Math.min(PROBES, table.rows) }, (_, i) => i),
  );
  const seen = model.encoding.encode(probe);
  const differs = seen.data.findIndex((v, at) => {
    const input = inputs[at % seen.cols];
    const code = input && probe.data[Math.floor(at / seen.cols) * probe.cols + input.feature]!;
    return !input || !Object.is(encode(input, code!) + 0, v + 0);
  });
  if (differs < 0 && inputs.length === seen.cols) return inputs;
  throw none("how the table becomes the inputs of the model is not known here");
}

/** The inputs of a model that was bound by name or by an encoding file. */
function bound(
  { encoding }: Model,
  features: Constraints["schema"]["features"],
  specs?: readonly InputSpec[],
): Input[] {
  const owner = new Map(encoding!.groups.flatMap((columns, k) => columns.map((c) => [c, k] as const)));
  return Array.from({ length: owner.size }, (_, c): Input => {
    const k = owner.get(c)!;
    const feature = features[k]!;
    const { mean = 0, scale = 1, missing = null } = specs?.[c] ?? {};
    if (!hasLevels(feature)) return { feature: k, shift: mean, scale, missing };
    const at = (v: number): number => {
      const data = new Float64Array(features.length);
      data[k] = v;
      return encoding!.encode({ data, rows: 1, cols: data.length }).data[c]!;
    };
    const gap = at(Number.NaN);
    return {
      feature: k,
      levels: levelsOf(feature).map((_, v) => at(v)),
      missing: Number.isNaN(gap) ? null : gap,
    };
  });
}

function goalOf({ outputs }: Model, reach: Reach, margin: number): Goal {
  const { conditions, primary } = reach;
  if (conditions)
    return {
      output: primary,
      conditions: conditions.map(({ sign, value, strict }) => ({ sign, value, strict })),
      margin,
    };
  const wants = wantedOutputs(reach.slack, outputs.length);
  const wanted = [...outputs.keys()].filter((o) => wants[o]);
  return { wanted, margin };
}

/** Legal numbers of each feature, cut where a test of the model changes its answer. */
function cellsOf(
  { schema }: Constraints,
  columns: readonly Column[],
  inputs: readonly Input[],
  model: FlatModel,
): [number, number][][] {
  const tests = inputs.map(() => new Map<number, Exclude<Tree, number>>());
  const collect = (tree: Tree): void => {
    if (typeof tree === "number") return;
    const input = inputs[tree[0]]!;
    if (typeof tree[1] === "number") tests[tree[0]]!.set(tree[1], tree);
    else if (!hasLevels(schema.features[input.feature]!))
      throw none("a tree that asks for categories of a number has none");
    collect(tree[3]);
    collect(tree[4]);
  };
  for (const { trees = [] } of model.sums) trees.forEach(collect);
  return schema.features.map((feature, k) => {
    if (hasLevels(feature)) return [];
    const nearest = numbersOf(feature, columns[k]!);
    const [least, most] = [nearest(Number.NEGATIVE_INFINITY, true), nearest(Number.POSITIVE_INFINITY, false)];
    if (!(least <= most)) return [];
    const cuts = inputs.flatMap((input, c) => {
      if (input.feature !== k) return [];
      return [...tests[c]!.values()].flatMap((test) =>
        cutOf(nearest, least, most, (v) => goesLeft(model, test, encode(input, v))),
      );
    });
    const ends = [...new Map(cuts)].sort(([a], [b]) => a - b);
    const starts = [least, ...ends.map(([, next]) => next)];
    return starts.map((first, t): [number, number] => [first, ends[t]?.[0] ?? most]);
  });
}

/** The two neighbouring legal numbers between which an answer changes. */
function cutOf(
  nearest: Nearest,
  least: number,
  most: number,
  left: (v: number) => boolean,
): [number, number][] {
  let [a, b] = [least, most];
  const first = left(a);
  if (left(b) === first) return [];
  for (;;) {
    const middle = a / 2 + b / 2;
    const next = [nearest(middle, false), nearest(middle, true)].find((v) => v > a && v < b);
    if (next === undefined) return [[a, b]];
    if (left(next) === first) a = next;
    else b = next;
  }
}
