import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { type BenchmarkResult, STAGES } from "../../experiments/benchmark.ts";
import { benchmarkVerdict } from "../../experiments/benchmark-report.ts";
import type { Measures } from "../../experiments/measure.ts";
import { generators } from "../../src/generate/registry.ts";
import { temporaryFolder } from "../support/folder.ts";
import { benchmarkMutants } from "../support/mutants/experiments.ts";

// Every run starts programs of its own.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const folder = temporaryFolder();
const CLI = ["--import", "tsx", "cli/main.ts"];

function run(out: string, workers: number) {
  const fixed = ["--quick", "--data-dir", join(folder, "none"), "--workers", String(workers)];
  const ids = ["--scenarios", "loans-tree-knn,loans-logistic-knn"];
  return spawnSync(
    process.execPath,
    [...CLI, "reproduce", "benchmark", ...ids, "--out", join(folder, out), ...fixed],
    { encoding: "utf8" },
  );
}

/** Every file whose bytes do not depend on the clock. */
function bytes(out: string): Record<string, string> {
  const names = readdirSync(join(folder, out), { recursive: true, encoding: "utf8" });
  const kept = names.filter((name) => /\.(json|csv|tex)$/.test(name) && !name.includes("times"));
  return Object.fromEntries(kept.sort().map((name) => [name, readFileSync(join(folder, out, name), "utf8")]));
}

let scenarios: readonly BenchmarkResult[] = [];

beforeAll(() => {
  expect(run("one", 1).status).toBe(0);
  scenarios = (JSON.parse(bytes("one")["benchmark.json"]!) as { scenarios: BenchmarkResult[] }).scenarios;
});

/** What must be true of every generator, before and after. */
function honest(results: readonly BenchmarkResult[]): void {
  for (const { scenario, rows } of results) {
    for (const name of Object.keys(generators)) {
      const of = STAGES.map((stage) => rows.find((row) => row.generator === name && row.stage === stage));
      if (of.some((row) => !row || (row.measures === undefined) === (row.why === undefined))) {
        throw new Error(`${scenario}, ${name}: a stage without numbers and without a reason, or with both`);
      }
      const [before, own, moved] = of.map((row) => row!.measures);
      if (!before || !own || !moved) continue;
      if (own.validity !== before.validity) throw new Error(`${name}: a row's own pair loses or wins rows`);
      if (own.l0! > before.l0! + 1e-6) throw new Error(`${name}: more edits than its own row`);
      if (own.l1! > before.l1! + 1e-6 || own.l2! > before.l2! + 1e-6) throw new Error(`${name}: farther`);
      for (const stage of [own, moved]) {
        if (stage.redundancy !== 0) throw new Error(`${name}: an edit can be undone`);
      }
      if (before.redundancy! > before.l0! + 1e-6) throw new Error(`${name}: undoes more than there is`);
    }
  }
}

test("refined to its own pair no generator's row needs more edits, is farther or keeps an edit to undo", () => {
  expect(scenarios).toHaveLength(2);
  honest(scenarios);
  const reduced = (key: keyof Measures): boolean =>
    scenarios.some(({ rows }) =>
      rows.some(({ generator, stage, measures }) => {
        const first = rows.find((r) => r.generator === generator && r.stage === STAGES[0])!.measures;
        return stage === STAGES[1] && measures !== undefined && measures[key]! < first![key]!;
      }),
    );
  expect([reduced("l0"), reduced("redundancy")]).toEqual([true, true]);
  expect(benchmarkVerdict(scenarios)[0]).toContain("more in 0 of");
});

test.each(Object.entries(benchmarkMutants))("%s is noticed", (_, mutant) => {
  expect(() => honest(scenarios.map(mutant))).toThrow();
});

test("a generator that makes no sense says why", () => {
  const [tree, logistic] = scenarios;
  const why = (of: BenchmarkResult) =>
    of.rows.filter((row) => row.generator === "dice-gradient").map((r) => r.why);
  expect(why(tree!)).toEqual(STAGES.map(() => expect.stringContaining("has no gradient")));
  expect(why(logistic!)).toEqual(STAGES.map(() => undefined));
});

test("a run goes on from what is kept, in workers too, to the same bytes; the table is there as CSV, LaTeX and page", () => {
  const [from, to] = ["one", "two"].map((out) => join(folder, out, "benchmark"));
  cpSync(from!, to!, { recursive: true, filter: (name) => !name.includes("logistic") });
  expect(run("two", 2).stderr).toContain("1 of 2 scenarios were done before");
  expect(bytes("two")).toEqual(bytes("one"));
  const files = readdirSync(join(folder, "two"));
  for (const name of [
    "benchmark.json",
    "benchmark.csv",
    "benchmark.tex",
    "benchmark-times.csv",
    "benchmark.html",
  ]) {
    expect(files).toContain(name);
  }
  expect(bytes("one")["benchmark.csv"]!.split("\n")[0]).toBe(
    "scenario,generator,rows are,validity,L0,L1,L2,redundancy,yNN,model rows,why not",
  );
});
