import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { pythonWith } from "../support/python.ts";

// Every test starts programs of its own.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const folder = mkdtempSync(join(tmpdir(), "reproduce-"));
const SCENARIOS = "loans-logistic-knn,loans-tree-dice";
const CLI = ["--import", "tsx", "cli/main.ts"];

function words(out: string, workers: number): string[] {
  const fixed = ["--runs", "3", "--data-dir", join(folder, "none"), "--workers", String(workers)];
  return [...CLI, "reproduce", "table", "--scenarios", SCENARIOS, "--out", join(folder, out), ...fixed];
}

const run = (out: string, workers: number) =>
  spawnSync(process.execPath, words(out, workers), { encoding: "utf8" });

/** Every file of a run and its bytes. */
function bytes(out: string): Record<string, string> {
  const names = readdirSync(join(folder, out), { recursive: true, encoding: "utf8" });
  return Object.fromEntries(
    names
      .filter((name) => /\.(json|csv|tex|html)$/.test(name))
      .sort()
      .map((name) => [name, readFileSync(join(folder, out, name), "utf8")]),
  );
}

beforeAll(() => {
  expect(run("one", 1).status).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a run writes the table as JSON, CSV, LaTeX and a page", () => {
  const files = bytes("one");
  expect(
    Object.keys(files).filter((name) => name.startsWith("scenarios/") || name.startsWith("scenarios\\")),
  ).toHaveLength(2);
  const table = JSON.parse(files["table.json"]!) as {
    seed: number;
    version: string;
    table: { method: string }[];
  };
  expect(table).toMatchObject({ seed: 0, runs: 3, preset: "paper" });
  expect(new Set(table.table.map((row) => row.method)).size).toBe(10);
  expect(files["table.csv"]).toContain("CF-p_OT");
  expect(files["table.tex"]).toContain("\\begin{tabular}");
  expect(files["table.html"]).toContain("<table>");
});

test("two workers write the same bytes as one", () => {
  const answer = run("two", 2);
  expect(answer.stderr).toContain("2 of 2");
  expect(bytes("two")).toEqual(bytes("one"));
});

test("a killed run goes on where it was and ends with the same bytes", async () => {
  const child = spawn(process.execPath, words("killed", 1), { stdio: "ignore" });
  const kept = join(folder, "killed", "scenarios");
  const done = (): number =>
    existsSync(kept) ? readdirSync(kept).filter((f) => f.endsWith(".json")).length : 0;
  while (done() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("close", resolve));
  const before = done();
  expect(existsSync(join(folder, "killed", "table.json"))).toBe(false);
  const answer = run("killed", 1);
  expect(answer.stderr).toContain(`${before} of 2 scenarios were done before`);
  expect(bytes("killed")).toEqual(bytes("one"));
});

test("a damaged result is computed again", () => {
  const kept = join(folder, "two", "scenarios");
  const file = join(kept, readdirSync(kept)[0]!);
  writeFileSync(file, readFileSync(file, "utf8").slice(0, 100));
  expect(run("two", 1).stderr).toContain("1 of 2 scenarios were done before");
  expect(bytes("two")).toEqual(bytes("one"));
});

test("without the data sets it says what to fetch and runs the same experiment on the embedded data", () => {
  const fixed = ["--runs", "2", "--data-dir", join(folder, "none"), "--workers", "1", "--json"];
  const answer = spawnSync(
    process.execPath,
    [...CLI, "reproduce", "--scenarios", "german-tree-knn", "--out", join(folder, "none-here"), ...fixed],
    { encoding: "utf8" },
  );
  expect(answer.stderr).toContain("german_credit.csv");
  expect(answer.stderr).toContain("10.24432/C5NC77");
  const { scenarios } = JSON.parse(answer.stdout) as { scenarios: { data: string; why?: string }[] };
  expect(scenarios.map(({ data, why }) => ({ data, why }))).toEqual(
    Array(4).fill({ data: "loans", why: undefined }),
  );
});

const python = pythonWith("json");
test.skipIf(!python)("the Python example drives the command line (skipped where there is no python3)", () => {
  const env = { ...process.env, COLA: [process.execPath, ...CLI].join(" "), COLA_DATA: join(folder, "none") };
  const answer = spawnSync(python!, ["examples/reproduce.py", "loans-logistic-knn", join(folder, "py")], {
    encoding: "utf8",
    env,
  });
  expect(answer.stderr).not.toContain("Traceback");
  expect(answer.stdout).toMatch(/CF-p_OT +\d\.\d\d/);
});
