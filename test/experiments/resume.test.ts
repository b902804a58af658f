import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test, vi } from "vitest";
import { OWN_METHODS, PAPER_METHODS } from "../../experiments/methods.ts";
import { scenarioOf } from "../../experiments/settings.ts";
import { keep, readKept, scenarioFile } from "../../experiments/store.ts";
import { temporaryFolder } from "../support/folder.ts";
import { pythonWith } from "../support/python.ts";

// Every test starts programs of its own.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const folder = temporaryFolder();
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
  expect(new Set(table.table.map((row) => row.method))).toEqual(
    new Set([...PAPER_METHODS, ...OWN_METHODS].map(({ name }) => name)),
  );
  expect(files["table.csv"]).toContain("CF-p_OT");
  expect(files["table.tex"]).toContain("\\begin{tabular}");
  expect(files["table.html"]).toContain("<table>");
});

test("two workers write the same bytes as one", () => {
  const answer = run("two", 2);
  expect(answer.stderr).toContain("2 of 2");
  expect(bytes("two")).toEqual(bytes("one"));
});

/** Kills its own process as soon as the file of a first scenario is whole. */
const KILLED_AFTER_ONE = `data:text/javascript,${encodeURIComponent(`
  import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  const { renameSync } = fs;
  fs.renameSync = (from, to) => {
    renameSync(from, to);
    if (/[\\\\/]scenarios[\\\\/]/.test(to)) process.kill(process.pid, "SIGKILL");
  };
  syncBuiltinESMExports();
`)}`;

test("a killed run goes on where it was and ends with the same bytes", () => {
  const killed = spawnSync(process.execPath, ["--import", KILLED_AFTER_ONE, ...words("killed", 1)]);
  expect(killed.signal).toBe("SIGKILL");
  expect(readdirSync(join(folder, "killed", "scenarios"))).toHaveLength(1);
  expect(existsSync(join(folder, "killed", "table.json"))).toBe(false);
  const answer = run("killed", 1);
  expect(answer.stderr).toContain("1 of 2 scenarios were done before");
  expect(bytes("killed")).toEqual(bytes("one"));
});

test("a damaged result is computed again", () => {
  const kept = join(folder, "two", "scenarios");
  const file = join(kept, readdirSync(kept)[0]!);
  writeFileSync(file, readFileSync(file, "utf8").slice(0, 100));
  expect(run("two", 1).stderr).toContain("1 of 2 scenarios were done before");
  expect(bytes("two")).toEqual(bytes("one"));
});

test("a result whose numbers were edited is computed again; the digest is what tells", () => {
  const kept = join(folder, "two", "scenarios");
  const file = join(kept, readdirSync(kept)[0]!);
  const right = readFileSync(file, "utf8");
  const edited = right.replace(/"meanCurve":[\d.]+/, '"meanCurve":99');
  expect(edited).not.toBe(right);
  writeFileSync(file, edited);
  expect(readKept(file, "scenario")).toBeUndefined();
  expect(run("two", 1).stderr).toContain("1 of 2 scenarios were done before");
  expect(bytes("two")).toEqual(bytes("one"));
  // With a digest of its own the same edit would be believed.
  keep(file, (JSON.parse(edited) as { result: object }).result, "scenario");
  expect(readKept(file, "scenario")).toBeDefined();
  writeFileSync(file, right);
});

/** Runs the command with these words after the fixed ones. */
const answer = (...more: string[]) =>
  spawnSync(process.execPath, [...CLI, "reproduce", "table", "--runs", "3", ...more], { encoding: "utf8" });

test("a scenario named twice counts once", () => {
  const twice = words("one", 1).map((word) => (word === SCENARIOS ? `${SCENARIOS},${SCENARIOS}` : word));
  const { stderr } = spawnSync(process.execPath, twice, { encoding: "utf8" });
  expect(stderr).toContain("2 of 2 scenarios were done before");
  expect(bytes("one")).toEqual(bytes("two"));
});

test.each([1, 2])(
  "damaged data end the run with their own code, and nothing is kept (%i workers)",
  (workers) => {
    const data = join(folder, "damaged");
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, "german_credit.csv"), "a,b\n1,2\n");
    const out = join(folder, `damaged-out-${workers}`);
    const ids = ["--scenarios", "german-tree-knn,german-logistic-knn", "--workers", String(workers)];
    const { status, stderr } = answer(...ids, "--data-dir", data, "--out", out);
    expect(status).toBe(2);
    expect(stderr).toContain("[TABLE_INVALID]");
    expect(stderr).not.toContain("[INTERNAL]");
    expect(readdirSync(out)).toEqual([]);
  },
);

test("where no scenario can be run the run says so and does not end as if it had", () => {
  const out = join(folder, "nothing");
  const options = { preset: "paper", seed: 0, runs: 3, folder: "" } as const;
  const { scenario, data, model, generator } = JSON.parse(bytes("one")["table.json"]!).scenarios[0];
  const result = { scenario, data, model, generator, why: "its covariance is singular", methods: [] };
  keep(scenarioFile(out, scenarioOf(scenario), options), result, "scenario");
  const fixed = ["--data-dir", join(folder, "none"), "--workers", "1"];
  const { status, stderr } = answer("--scenarios", scenario, "--out", out, ...fixed);
  expect(stderr).toContain("covariance is singular");
  expect([status, stderr.includes("No scenario could be run")]).toEqual([1, true]);
});

test("a folder for the results is needed, and that it can be written to is known before anything is run", () => {
  const nowhere = answer("--scenarios", SCENARIOS, "--out", "-");
  expect([nowhere.status, nowhere.stderr.includes("[OPTION_INVALID]")]).toEqual([2, true]);
  expect(existsSync("-")).toBe(false);
  writeFileSync(join(folder, "file"), "");
  const closed = answer("--scenarios", SCENARIOS, "--out", join(folder, "file", "below"));
  expect([closed.status, closed.stderr]).toEqual([
    2,
    expect.stringMatching(/^cola: .*\[FILE_UNWRITABLE\]\s*$/),
  ]);
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
