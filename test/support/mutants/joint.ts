import { type Joint, joint } from "../../../src/match/index.ts";
import { refine } from "../../../src/refine/index.ts";

type Impl = typeof joint;

const changed =
  (change: (found: Joint) => Partial<Joint>): Impl =>
  async (model, x, r, options) => {
    const found = await joint(model, x, r, options);
    return { ...found, ...change(found) };
  };

/** Claims one edit more than is proven. */
export const boastfulBound = changed(({ bound }) => ({ bound: bound + 1 }));

/** A bound that is true and says nothing. */
export const idleBound = changed(() => ({ bound: 0 }));

/** Forgets the last edit of a row that has one. */
export const droppedEdit = changed(({ plans }) => {
  const at = plans.findIndex(({ players }) => players.length > 0);
  return { plans: plans.map((plan, i) => (i === at ? { ...plan, players: plan.players.slice(1) } : plan)) };
});

/** Lets every row use the reference it likes best. */
export const reuses: Impl = (model, x, r, options) => joint(model, x, r, { ...options, mode: "free" });

/** Goes as far as it likes. */
export const capless: Impl = (model, x, r, options) => joint(model, x, r, { ...options, cap: "none" });

/** Looks at the nearest references alone. */
export const withoutTransport: Impl = async (model, x, r, options) => {
  const found = await joint(model, x, r, options);
  return {
    ...found,
    plans: found.plans.map((plan) => ({ ...plan, candidates: plan.candidates.slice(0, options.candidates) })),
  };
};

/** Proposes the whole reference, whatever the cap. */
export const wholeReference: Impl = async (model, x, r, options) => {
  const found = await joint(model, x, r, options);
  const data = new Float64Array(x.data.length);
  found.plans.forEach(({ reference }, i) => {
    data.set(r.data.subarray(reference * r.cols, (reference + 1) * r.cols), i * x.cols);
  });
  return { ...found, q: { data, rows: x.rows, cols: x.cols } };
};

/** Couples row i with reference i and chooses the edits well. */
export const ownPair: Impl = async (model, x, r, options) => {
  const found = await joint(model, x, r, options);
  const alone = await refine({ model, x, q: r, goal: options.goal, policy: "minimal" });
  return { ...found, value: alone.reached.C, reached: alone.reached.goal };
};

/** Takes the references for near that come first in the table. */
export const byPosition: Impl = (model, x, r, options) =>
  joint(model, x, r, {
    ...options,
    cost: {
      n: x.rows,
      m: r.rows,
      row: (i, out) => out.set(out.map((_, j) => (i + j) % r.rows)),
      dense: () => r,
    },
  });

/** Prefers near plans where wide ones are asked for, and the other way round. */
export const otherTaste: Impl = (model, x, r, options) =>
  joint(model, x, r, { ...options, prefer: options.prefer === "near" ? "margin" : "near" });
