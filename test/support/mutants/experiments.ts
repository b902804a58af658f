import { byOnes } from "../../../experiments/curves.ts";
import type { Counts } from "../../../experiments/runs.ts";

type Tables = typeof byOnes;

/** Wrong tables of D on labels: each breaks an identity. */
export const labelMutants: Readonly<Record<string, Tables>> = {
  "OT with a root": (n, desired) => {
    const right = byOnes(n, desired);
    return { ...right, OT: right.OT.map(Math.sqrt) };
  },
  "MMD with the kernel of half the width": (n, desired) => {
    const right = byOnes(n, desired);
    return { ...right, MMD: right.MeanD.map((d) => 2 * (1 - Math.exp(-0.5)) * d * d) };
  },
  "a median of three steps": (n, desired) => {
    const right = byOnes(n, desired);
    return { ...right, MedianD: right.MeanD.map((d) => Math.round(3 * d) / 3) };
  },
};

/** Wrong counts of a run: each differs from what the model says of the hybrids. */
export const countMutants: Readonly<Record<string, (right: Counts) => Counts>> = {
  "one edit late": ({ at, counts }) => ({
    at,
    counts: counts.map((run) => Uint16Array.from(run, (_, c) => run[Math.max(0, c - 1)]!)),
  }),
  "the end left out": ({ at, counts }) => ({
    at,
    counts: counts.map((run) => run.map((v, c) => (c === run.length - 1 ? run[0]! : v))),
  }),
};
