import { describe, expect, onTestFinished, test, vi } from "vitest";
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

/** Calls of the model after which a method has rows for some of the loans and not for others. */
const CUTS: Readonly<Record<string, { options: object; calls: number }>> = {
  ares: { options: {}, calls: 5 },
  "globe-ce": { options: { screen: 10 }, calls: 3 },
  discount: { options: {}, calls: 5 },
};

/** A model whose calls alone make time pass, a second each, and the limit that its call of a number oversteps. */
function timed(model: Model): { model: Model; timeMs(calls: number): number } {
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const predict: Model["predict"] = (rows, output) => {
    now += 1000;
    return model.predict(rows, output);
  };
  return { model: { outputs: model.outputs, predict }, timeMs: (calls) => 1000 * calls - 500 };
}

describe.each(methods)("%s", (name, { generate }) => {
  test("a model that never answers: every row is out of budget", async () => {
    slowClock(0); // Only the wait for an answer ends the time.
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
    const { options, calls } = CUTS[name]!;
    const { model, timeMs } = timed(asModel(task.model));
    const slow = { ...task, model };
    const whole = await generate(slow, options, random());
    expect(new Set(whole.report.status)).toEqual(new Set(["ok"]));
    const found = await generate(slow, { ...options, limits: { timeMs: timeMs(calls) } }, random());
    await checkFound(task, found);
    const { status, reasons } = found.report;
    expect(new Set(status)).toEqual(new Set(["ok", "budget"]));
    status.forEach((one, i) => {
      if (one === "ok") expect(reasons[i]).toBe("");
      else expect(reasons[i]).toContain(`${timeMs(calls)} ms`);
    });
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
