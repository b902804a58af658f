import { describe, expect, test } from "vitest";
import { turnedRound } from "../../src/generate/group.ts";
import { type GeneratorMethod, generators } from "../../src/generate/registry.ts";
import { openRun } from "../../src/generate/run.ts";
import { asModel } from "../../src/model/contract.ts";
import { stream } from "../../src/num/random.ts";
import type { Model, Progress } from "../../src/types.ts";
import { slowClock } from "../support/clock.ts";
import { loanTask } from "../support/generate.ts";
import { checkFound } from "../support/group.ts";

const methods = Object.entries<GeneratorMethod>(generators).filter(([, { group }]) => group);
const random = () => stream(6, "group");

describe.each(methods)("%s", (name, { generate }) => {
  test("a model that never answers: every row is out of budget", async () => {
    const task = await loanTask("mixed", "logistic");
    const never = { ...task, model: () => new Promise<number[]>(() => {}) };
    const { report } = await generate(
      { ...never, target: { above: 0.5 } },
      { limits: { timeMs: 30 } },
      random(),
    );
    expect(new Set(report.status)).toEqual(new Set(["budget"]));
    expect(report.reasons[0]).toContain("ms");
  });

  test("when the clock runs out, what was found is kept and the rest says so", async () => {
    const task = await loanTask("mixed", "logistic");
    const model = asModel(task.model);
    const predict: Model["predict"] = async (rows, output) => {
      await new Promise((resolve) => setTimeout(resolve, 25));
      return model.predict(rows, output);
    };
    const slow = { ...task, model: { outputs: model.outputs, predict } };
    const found = await generate(slow, { limits: { timeMs: 400 } }, random());
    await checkFound(task, found);
    for (const status of found.report.status) expect(["ok", "budget", "infeasible"]).toContain(status);
  });

  test("an abort in the middle is heard", async () => {
    const task = await loanTask("mixed", "forest");
    slowClock();
    const controller = new AbortController();
    const onProgress = (): void => controller.abort("enough");
    const running = generate(task, { signal: controller.signal, onProgress }, random());
    await expect(running).rejects.toMatchObject({ code: "ABORTED" });
  });

  test("progress names the generator and ends with all rows", async () => {
    const task = await loanTask("levels", "logistic");
    const seen: Progress[] = [];
    await generate(task, { onProgress: (p) => seen.push(p) }, random());
    const rows = task.x.rows;
    expect(seen.at(-1)).toEqual({ stage: `generate: ${name}`, done: rows, total: rows });
  });

  test("rows at the target answer with themselves, all of them or some", async () => {
    const task = await loanTask("mixed", "logistic");
    const granted = { ...task, target: { class: 0 } };
    const found = await generate(granted, {}, random());
    expect(found.report.status.every((status) => status === "ok")).toBe(true);
    expect(found.rows).toEqual(task.x);
    expect(found.report.evaluations).toBe(task.x.rows);
  });
});

test("turned round, a row is at the target where it was not, the edge included", async () => {
  const task = await loanTask("numeric", "logistic");
  const run = openRun("ares", task, {}, {});
  const turned = turnedRound(run);
  for (const score of [0, 0.3, 0.5, 0.7, 1]) {
    const scores = [Float64Array.of(score)];
    const [a, b] = [run.reach, turned.reach].map((reach) => reach.reached(reach.slack(scores, 0)));
    expect(a).toBe(!b);
  }
});
