import { describe, expect, test } from "vitest";
import { checkGenerator } from "../../src/contracts/generator.ts";
import { generatorTasks } from "../../src/contracts/generator-tasks.ts";
import { type GeneratorMethod, generators } from "../../src/generate/registry.ts";
import { asModel } from "../../src/model/contract.ts";
import { reachOf } from "../../src/model/target.ts";
import { rowOf } from "../../src/num/matrix.ts";
import { stream } from "../../src/num/random.ts";
import { type FitName, fitNames, loanTask, rowWise, type SetName, setNames } from "../support/generate.ts";
import { generatorMutants } from "../support/mutants/generate.ts";

const methods = Object.entries<GeneratorMethod>(generators);
/** Smaller searches: the laws do not depend on how long one looks. */
const BRIEF: Readonly<Record<string, object>> = {
  "dice-random": { samples: 120 },
  "globe-ce": { samples: 40 },
  discount: { iterations: 8, resamples: 40, projections: 4 },
};

describe("every generator of the registry keeps the contract", () => {
  test.each(methods)("%s", async (name, { generate, group }) => {
    const results = await checkGenerator(generate, { group, options: BRIEF[name] ?? {} });
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
    expect(results.length).toBeGreaterThanOrEqual(group ? 9 : 11);
  });

  test("knn with a pooled sample, which has no pairs", async () => {
    const options = { mode: "pooled", neighbours: 5 };
    const results = await checkGenerator(generators.knn.generate, { group: true, options });
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
  });

  test.each(rowWise)("%s with three counterfactuals per row", async (name, { generate }) => {
    const several = name === "knn" ? { neighbours: 3 } : { count: 3 };
    const results = await checkGenerator(generate, { options: { ...BRIEF[name], ...several } });
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
  });
});

describe("the contract refuses", () => {
  test.each(Object.entries(generatorMutants))("%s", async (_, { law, generate }) => {
    const { bound } = generatorTasks();
    const results = await checkGenerator(generate, { tasks: { bound } });
    const broken = results.find((result) => result.law === law);
    expect(broken).toMatchObject({ ok: false });
    expect(broken!.message).not.toBe("");
  });
});

/** Generators that must find nearly every row of an unconstrained logistic or forest model. */
const THOROUGH = ["dice-random", "dice-genetic", "knn", "nice", "direct"];

const grid = rowWise.flatMap(([name, method]) =>
  fitNames.flatMap((fit) => setNames.map((set) => ({ name, method, fit, set }))),
);
const fits = ({ method, fit }: { method: GeneratorMethod; fit: FitName }): boolean =>
  method.needs === "scores" || fit !== "forest";

describe("on real models and tables", () => {
  test.each(grid.filter(fits))("$name · $fit · $set", async ({ name, method, fit, set }) => {
    const task = await loanTask(set as SetName, fit);
    const { rows, pairs, report } = await method.generate(task, BRIEF[name] ?? {}, stream(7, "real"));
    const model = asModel(task.model);
    const reach = reachOf(model, task.target);
    const scores = await Promise.all(reach.outputs.map((output) => model.predict(rows, output)));
    for (let t = 0; t < rows.rows; t++) {
      expect(reach.reached(reach.slack(scores, t))).toBe(true);
      expect(task.constraints.violations(rowOf(task.x, pairs![t]!), rowOf(rows, t))).toEqual([]);
    }
    const ok = report.status.filter((status) => status === "ok").length;
    expect(new Set(pairs).size).toBe(ok);
    if (THOROUGH.includes(name) && fit !== "mlp") expect(ok).toBeGreaterThanOrEqual(0.95 * task.x.rows);
    else expect(ok).toBeGreaterThan(0);
  });
});
