import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { explainOnThreads, startParallel } from "../../node/parallel.ts";
import type { OwnCoupling } from "../../src/couple/registry.ts";
import { explain } from "../../src/explain.ts";
import { fromRows } from "../../src/num/matrix.ts";
import { gridSearch } from "../../src/run/grid.ts";
import { mergeKernel, partOf } from "../../src/run/merge.ts";
import { type ExplainInput, open } from "../../src/run/open.ts";
import { sturdyWith } from "../../src/run/sturdy.ts";
import { fitIsolation } from "../../src/train/isolation.ts";
import { fit } from "../../src/train/registry.ts";
import type { Matrix } from "../../src/types.ts";
import { cola } from "../support/cli.ts";
import { COMMAND } from "../support/command.ts";
import { expectSameFiles, temporaryFolder } from "../support/folder.ts";

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);

const expectSame = (one: string, other: string): void => expectSameFiles(at(one), at(other));

const LOANS = ["--data", "examples/parts/loans.csv", "--id", "id"];
const XGBOOST = [
  "--model",
  "examples/parts/xgboost.json",
  "--outputs",
  "refused,granted",
  "--target",
  "granted",
];

test.each([
  ["a model trained here", ["--rows", "12", "--alternatives", "2"]],
  ["a model file", [...LOANS, ...XGBOOST, "--rows", "all"]],
  ["least values, and rules", [...LOANS, ...XGBOOST, "--values", "least", "--freeze", "income"]],
  ["values of near rows", [...LOANS, ...XGBOOST, "--rows", "all", "--values", "near"]],
])("any number of threads gives the same bytes: %s", async (name, options) => {
  const run = (workers: string) =>
    cola(
      "explain",
      ...options,
      "--out",
      at(`${name} ${workers}`),
      "--formats",
      "csv",
      "--workers",
      workers,
      "--shard-rows",
      "3",
    );
  const [one, three] = [await run("1"), await run("3")];
  expect(three.code, three.err).toBe(one.code);
  expect(three.out.replaceAll(`${name} 3`, "").replace(/^Written.*/m, "")).toBe(
    one.out.replaceAll(`${name} 1`, "").replace(/^Written.*/m, ""),
  );
  expectSame(`${name} 1`, `${name} 3`);
});

test("a killed run with threads goes on, and ends with the same bytes", async () => {
  const words = (out: string, workers: string): string[] => [
    ...["explain", "--rows", "80", "--model", "forest", "--out", at(out), "--formats", "csv"],
    ...["--shard-rows", "4", "--workers", workers],
  ];
  const child = spawn(process.execPath, [...COMMAND, ...words("killed", "2")]);
  const ended = new Promise((done) => child.on("exit", done));
  const shards = (): number =>
    existsSync(at("killed/.shards"))
      ? readdirSync(at("killed/.shards")).filter((f) => f.endsWith(".shard")).length
      : 0;
  while (shards() < 2 && child.exitCode === null) await new Promise((done) => setTimeout(done, 2));
  child.kill("SIGKILL");
  await ended;
  expect(readdirSync(at("killed"))).toEqual([".shards"]);
  const [again, calm] = [await cola(...words("killed", "2")), await cola(...words("calm", "1"))];
  expect(again.code, again.err).toBe(calm.code);
  expectSame("calm", "killed");
}, 240_000);

let study: ExplainInput;
let labels: Float64Array;
beforeAll(async () => {
  const x = fromRows(Array.from({ length: 60 }, (_, i) => [i % 7, (i * 5) % 11, (i * 3) % 4]));
  labels = Float64Array.from({ length: 60 }, (_, i) => Number(x.data[3 * i]! + x.data[3 * i + 1]! > 8));
  const model = await fit("forest", x, labels, { trees: 9 });
  const references = fromRows(Array.from({ length: 20 }, (_, j) => [3 + (j % 4), 6 + (j % 5), j % 3]));
  study = { model, x, references, training: x };
});

const parallel = (input = study) => {
  const opened = open(input, input);
  return startParallel(2, opened, input, opened.question(input).hash());
};

test("a thread gives what this one gives, counts what its model scores, and tells how far it is", async () => {
  const asking = open(study, study).question(study);
  const threads = parallel()!;
  let [scored, here, told] = [0, 0, 0];
  const count = (add: (n: number) => void) => ({ within: { charge: add }, onProgress: () => void told++ });
  const halves = [
    [0, 30],
    [30, 60],
  ] as const;
  const parts = await Promise.all(
    halves.map(([from, to]) =>
      threads.part(
        from,
        to,
        count((n) => (scored += n)),
      ),
    ),
  );
  await threads.close();
  for (const [from, to] of halves)
    await asking.part(
      from,
      to,
      count((n) => (here += n)),
    );
  expect(scored).toBe(here);
  expect(told).toBeGreaterThan(0);
  const { rows } = mergeKernel(parts.map(partOf), asking.run(), {});
  expect(rows).toEqual((await explain(study)).rows);
});

test("explain on threads is explain, to the byte, and so it is where there can be no threads", async () => {
  const many = { ...study, x: fromRows([...Array(250)].map((_, i) => [i % 7, (i * 5) % 11, (i * 3) % 4])) };
  const whole = JSON.stringify(await explain(many));
  expect(JSON.stringify(await explainOnThreads(many, 2))).toBe(whole);
  const group = { ...study, goal: { kind: "group", level: 0.5 } as const };
  expect(JSON.stringify(await explainOnThreads(group, 2))).toBe(JSON.stringify(await explain(group)));
});

test("models beside its own, a grid and a forest of usual rows reach a thread, a coupling of one's own cannot", async () => {
  const more = await fit("logistic", study.x, labels);
  const scores = await fit("rbf", study.x, labels, { units: 5 });
  const many = {
    ...study,
    x: fromRows([...Array(101)].map((_, i) => [i % 7, (i * 5) % 11, (i * 3) % 4])),
    grid: gridSearch,
  };
  const coupling: OwnCoupling = {
    name: "own",
    group: false,
    couple: () => Promise.reject(new Error("not asked")),
  };
  for (const brought of [
    { ...many, sturdy: sturdyWith([more], [more, scores]) },
    { ...many, usual: fitIsolation(study.x) },
    { ...many, model: scores },
  ]) {
    const threads = parallel(brought);
    expect(threads, "threads are started").toBeDefined();
    await threads!.close();
    expect(JSON.stringify(await explainOnThreads(brought, 2))).toBe(JSON.stringify(await explain(brought)));
  }
  expect(parallel({ ...many, coupling })).toBeUndefined();
});

test("limits and an abort reach a thread, and their errors come back", async () => {
  const threads = parallel()!;
  const late = await threads.part(0, 60, { limits: { modelRows: 1 } });
  expect(new Set(late.rows.map(({ status }) => status))).toContain("budget");
  const stopped = threads.part(0, 60, { signal: AbortSignal.abort() });
  await expect(stopped).rejects.toMatchObject({ code: "ABORTED" });
  expect((await threads.part(0, 2, {})).rows.length).toBe(2);
  await threads.close();
});

test("a model that is only a function stays where it is", () => {
  const model = (rows: Matrix): Float64Array => new Float64Array(rows.rows);
  expect(parallel({ ...study, model })).toBeUndefined();
});
