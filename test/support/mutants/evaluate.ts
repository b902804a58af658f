import { distance } from "../../../src/evaluate/distance.ts";
import { divergences } from "../../../src/evaluate/divergence.ts";
import { effect, reached } from "../../../src/evaluate/effect.ts";
import { lof } from "../../../src/evaluate/lof.ts";
import { redundancy } from "../../../src/evaluate/redundancy.ts";
import { sparsity } from "../../../src/evaluate/sparsity.ts";
import { yNN } from "../../../src/evaluate/ynn.ts";
import { sorted } from "../../../src/num/stats.ts";

type Value = (typeof divergences)["w1"]["value"];
type Registry = Readonly<Record<keyof typeof divergences, { value: Value }>>;
type DivergenceLaw = "zeroAndSymmetric" | "weightsRepeat" | "optimalOnALine" | "labels" | "moves";

const real: Registry = divergences;
const rooted =
  (value: Value): Value =>
  (a, b, options) =>
    Math.sqrt(Math.max(0, value(a, b, options)));

/** Pairs values in the order they come, as if both samples were sorted. */
const inOrder: Value = (a, b) =>
  Array.from(a).reduce((sum, v, i) => sum + Math.abs(v - b[i % b.length]!), 0) / a.length;

/** Wrong registries of divergences, each with the law that must refuse it. */
export const divergenceMutants: Readonly<Record<string, { law: DivergenceLaw; registry: Registry }>> = {
  "a mean difference with a sign": {
    law: "zeroAndSymmetric",
    registry: { ...real, mean: { value: (a, b) => a[0]! - b[0]! } },
  },
  "an unbiased mmd by default": {
    law: "zeroAndSymmetric",
    registry: {
      ...real,
      mmd: { value: (a, b, o) => real.mmd.value(a, b, { ...o, unbiased: a.length > 1 && b.length > 1 }) },
    },
  },
  "weights ignored": {
    law: "weightsRepeat",
    registry: { ...real, w1: { value: (a, b) => real.w1.value(a, b) } },
  },
  "mmd weights ignored": {
    law: "weightsRepeat",
    registry: { ...real, mmd: { value: (a, b) => real.mmd.value(a, b) } },
  },
  "the lower median": {
    law: "weightsRepeat",
    registry: {
      ...real,
      median: {
        value: (a, b) => {
          const low = (v: ArrayLike<number>): number => sorted(v)[(v.length - 1) >> 1]!;
          return Math.abs(low(a) - low(b));
        },
      },
    },
  },
  "values paired in the order they come": {
    law: "optimalOnALine",
    registry: { ...real, w1: { value: inOrder } },
  },
  "W2 with its root": {
    law: "optimalOnALine",
    registry: { ...real, transport: { value: rooted(real.transport.value) } },
  },
  "W1 for transport": { law: "optimalOnALine", registry: { ...real, transport: real.w1 } },
  "half of gamma": {
    law: "labels",
    registry: { ...real, mmd: { value: (a, b, o) => real.mmd.value(a, b, { ...o, gamma: 0.5 }) } },
  },
  "mmd with its root": { law: "labels", registry: { ...real, mmd: { value: rooted(real.mmd.value) } } },
  "distances of absolute values": {
    law: "moves",
    registry: {
      ...real,
      w1: { value: (a, b, o) => real.w1.value(Array.from(a, Math.abs), Array.from(b, Math.abs), o) },
    },
  },
};

/** Wrong effects, each refused by the law of the effect. */
export const effectMutants: Readonly<Record<string, { effect: typeof effect; reached: typeof reached }>> = {
  "upside down": {
    effect: (name, fx, fz, desired, options) => effect(name, fz, fx, desired, options),
    reached,
  },
  "no null": { effect: (...given) => effect(...given) ?? 0, reached },
  "never below zero": {
    effect: (...given) => {
      const share = effect(...given);
      return share === null ? null : Math.max(0, share);
    },
    reached,
  },
  "a level of the divergence itself": {
    effect,
    reached: (name, fx, fz, desired, options = {}) =>
      real[name].value(fz, desired) <= 1 - (options.level ?? 1) + 1e-9 && fx.length > 0,
  },
  "reached beyond the goal only": {
    effect,
    reached: (name, fx, fz, desired, options) =>
      reached(name, fx, fz, desired, options) && effect(name, fx, fz, desired, options) !== 1,
  },
};

/** Wrong counts of edits. */
export const sparsityMutants: Readonly<Record<string, typeof sparsity>> = {
  "missing is never equal": (x, z, options) => {
    const filled = (m: typeof x, by: number): typeof x => ({
      ...m,
      data: m.data.map((v) => (Number.isNaN(v) ? by : v)),
    });
    return sparsity(filled(x, 1e9), filled(z, -1e9), options);
  },
  "a group counts its columns": (x, z, { groups: _, ...options } = {}) => sparsity(x, z, options),
  "tolerance ignored": (x, z, { tolerance: _, ...options } = {}) => sparsity(x, z, options),
};

/** Wrong neighbours. */
export const neighbourMutants = {
  "one neighbour less": {
    lof: ((z, reference, options) =>
      lof(z, reference, { ...options, k: (options?.k ?? 20) - 1 })) as typeof lof,
    yNN: ((z, reference, flags, options) =>
      yNN(z, reference, flags, { ...options, k: (options?.k ?? 5) - 1 })) as typeof yNN,
  },
  "the reference is z": {
    lof: ((z, _, options) => lof(z, z, options)) as typeof lof,
    yNN: ((z, _, flags, options) =>
      yNN(
        z,
        z,
        Array.from({ length: z.rows }, (_v, i) => flags[i]!),
        options,
      )) as typeof yNN,
  },
} as const;

/** Counts every edit of a row whose goal survives the loss of any one. */
export const greedyRedundancy: typeof redundancy = async (x, z, reaches, options) => {
  const counts = await redundancy(x, z, reaches, options);
  const { edits } = sparsity(x, z, options);
  return counts.map((count, i) => (count > 0 ? edits[i]! : 0));
};

/** Wrong distances. */
export const distanceMutants: Readonly<Record<string, typeof distance>> = {
  "squares without a root": (x, z) => {
    const given = distance(x, z);
    return { ...given, l2: given.l2.map((v) => v * v) };
  },
  "a mean instead of Frobenius": (x, z) => {
    const given = distance(x, z);
    return { ...given, frobenius: given.l2.reduce((sum, v) => sum + v, 0) / x.rows };
  },
  "missing cells skipped": (x, z) => {
    const kept = (m: typeof x, other: typeof x): typeof x => ({
      ...m,
      data: m.data.map((v, at) => (Number.isNaN(v) || Number.isNaN(other.data[at]!) ? 0 : v)),
    });
    return distance(kept(x, z), kept(z, x));
  },
};
