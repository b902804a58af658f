import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import {
  type CommandModel,
  type CommandModelOptions,
  commandModel,
  splitCommand,
} from "../../../node/model/command.ts";
import { checkModel } from "../../../src/contracts/model.ts";
import { type ColaError, isColaError } from "../../../src/errors.ts";
import { fromRows, rowOf } from "../../../src/num/matrix.ts";
import { stream } from "../../../src/num/random.ts";
import type { Matrix, Model } from "../../../src/types.ts";
import { pythonWith } from "../../support/python.ts";
import { scoreRow } from "../../support/scoring-server.ts";

const folder = mkdtempSync(join(tmpdir(), "cola-command-"));
const open: CommandModel[] = [];
afterAll(async () => {
  await Promise.all(open.map((model) => model.close()));
  rmSync(folder, { recursive: true });
});

/** A command in JavaScript: `body` sees the parsed batch, the count of batches and the scores that are right. */
function command(name: string, body: string, options: CommandModelOptions = {}): CommandModel {
  const file = join(folder, `${name.replaceAll(/\W/g, "-")}.mjs`);
  writeFileSync(
    file,
    `import { appendFileSync, existsSync } from "node:fs";
     import { createInterface } from "node:readline";
     const log = ${JSON.stringify(`${file}.log`)};
     const mark = (text) => appendFileSync(log, text + "\\n");
     const say = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
     const again = existsSync(log);
     mark("start " + process.pid);
     let count = 0;
     for await (const line of createInterface({ input: process.stdin })) {
       const batch = JSON.parse(line);
       const scores = batch.rows.map((row) => 1 / (1 + Math.exp(-row.reduce((sum, v) => sum + (v ?? 0), 0))));
       count++;
       ${body}
     }`,
  );
  const model = commandModel([process.execPath, file], { timeoutMs: 20_000, ...options });
  open.push(model);
  return model;
}
const starts = (name: string): number[] =>
  readFileSync(join(folder, `${name.replaceAll(/\W/g, "-")}.mjs.log`), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("start "))
    .map((line) => Number(line.slice(6)));
const alive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const failure = async (run: () => unknown): Promise<ColaError> => {
  try {
    await run();
  } catch (error) {
    if (isColaError(error)) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
};

const ANSWER = "say({ id: batch.id, scores });";
const random = stream(1, "command rows");
const rows: Matrix = { data: Float64Array.from({ length: 75 }, () => random.normal()), rows: 25, cols: 3 };
const expected = Array.from({ length: rows.rows }, (_, i) => scoreRow([...rowOf(rows, i)]));

describe("a command that behaves", () => {
  test("scores batches, keeps the contract, and is one process for all of them", async () => {
    const model = command("good", ANSWER, { batchRows: 4, outputs: ["no", "yes"] });
    expect(Array.from(await model.predict(rows))).toEqual(expected);
    expect(Array.from(await model.predict(rows, 0))).toEqual(expected.map((p) => 1 - p));
    expect((await checkModel(model, rows)).filter((law) => !law.ok)).toEqual([]);
    expect(starts("good")).toHaveLength(1);
  });

  test("calls made at once queue up and get their own answers", async () => {
    const model = command("queue", ANSWER, { batchRows: 3 });
    const halves = [0, 1, 2, 3, 4].map((h) => ({
      data: rows.data.slice(15 * h, 15 * h + 15),
      rows: 5,
      cols: 3,
    }));
    const answers = await Promise.all(halves.map((half) => model.predict(half)));
    expect(answers.flatMap((scores) => [...scores])).toEqual(expected);
    expect(starts("queue")).toHaveLength(1);
  });

  test("names, level names and missing cells arrive", async () => {
    const schema = {
      features: [
        { name: "amount", kind: "numeric" },
        { name: "job", kind: "categorical", categories: ["clerk", "nurse"] },
      ],
    } as const;
    const check = `const ok = JSON.stringify([batch.columns, batch.rows]) === '[["amount","job"],[[1.5,"nurse"],[null,"clerk"]]]';
      say({ id: batch.id, scores: batch.rows.map(() => (ok ? 1 : 0)) });`;
    const model = command("schema", check, { schema });
    expect(
      Array.from(
        await model.predict(
          fromRows([
            [1.5, 1],
            [null, 0],
          ]),
        ),
      ),
    ).toEqual([1, 1]);
    expect(model.inputs).toEqual(["amount", "job"]);
  });

  test("an answer of several megabytes, in pieces, is one answer", async () => {
    const model = command("large", "say({ id: batch.id, scores, pad: 'x'.repeat(3e6) });");
    expect(Array.from(await model.predict(rows))).toEqual(expected);
  });

  test("close ends the process, and asking a closed model is refused", async () => {
    const model = command("closing", ANSWER);
    await model.predict(rows);
    const [pid] = starts("closing");
    expect(alive(pid!)).toBe(true);
    await model.close();
    expect(alive(pid!)).toBe(false);
    expect((await failure(() => model.predict(rows))).message).toMatch(/closed/);
  });

  test("a shell runs the command only when asked to", async () => {
    const file = join(folder, "good.mjs");
    const line = `exec "${process.execPath}" "${file}" 2>/dev/null`;
    const model = commandModel(line, { shell: true });
    open.push(model);
    expect(Array.from(await model.predict(rows))).toEqual(expected);
    const without = commandModel(line, { restarts: 0 });
    expect((await failure(() => without.predict(rows))).message).toMatch(
      /could not be started \(there is no such program\)/,
    );
  });
});

describe("a command that does not", () => {
  test("a crash starts it again and the batch is scored once", async () => {
    const model = command("crash", `if (!again && count === 2) process.exit(3); ${ANSWER}`, {
      batchRows: 10,
    });
    expect(Array.from(await model.predict(rows))).toEqual(expected);
    expect(starts("crash")).toHaveLength(2);
  });

  test("a crash at every start ends in PREDICT_FAILED with what it wrote last", async () => {
    const body =
      "process.stderr.write('x'.repeat(9000) + 'the model file is missing', () => process.exit(3));";
    const model = command("crashes", body, { restarts: 2 });
    const error = await failure(() => model.predict(rows));
    expect(error.code).toBe("PREDICT_FAILED");
    expect(error.message).toMatch(/ended with code 3; it wrote: x+the model file is missing \(3 times\)/);
    expect(error.message.length).toBeLessThan(4500);
    expect(starts("crashes")).toHaveLength(3);
  });

  test("too slow is PREDICT_TIMEOUT; the process is ended and the next call has a fresh one", async () => {
    const model = command("slow", `if (again) { ${ANSWER} }`, { timeoutMs: 8000 });
    const { code, message } = await failure(() => model.predict(rows));
    expect(code).toBe("PREDICT_TIMEOUT");
    expect(message).toMatch(
      /; raise it or lower options\.batchRows, or, if it printed an answer, let it flush standard output after every line \(Python: print\(…, flush=True\)\)\.$/,
    );
    expect(Array.from(await model.predict(rows))).toEqual(expected);
    const [first] = starts("slow");
    expect(alive(first!)).toBe(false);
  });

  test.each<[string, string, string, RegExp]>([
    [
      "a score missing",
      "say({ id: batch.id, scores: scores.slice(1) });",
      "PREDICT_SHAPE",
      /25 rows were sent and 24/,
    ],
    [
      "NaN as Python writes it",
      `process.stdout.write('{"id":' + batch.id + ',"scores":[' + scores.map(() => 'NaN') + ']}\\n');`,
      "PREDICT_NAN",
      /row 0/,
    ],
    ["labels", "say({ id: batch.id, scores: scores.map(() => 'yes') });", "PREDICT_FAILED", /not labels/],
    [
      "chatter on its output",
      `process.stdout.write('Loading the model…\\n'); ${ANSWER}`,
      "PREDICT_FAILED",
      /not complete JSON/,
    ],
    ["another id", "say({ id: -1, scores });", "PREDICT_FAILED", /has the id -1; write one line with the id/],
    ["no id", "say({ scores });", "PREDICT_FAILED", /has no id; write .* as {"id": 1, "scores": \[/],
    [
      "an error of its own",
      "say({ id: batch.id, error: 'unknown level' });",
      "PREDICT_FAILED",
      /batch 1: unknown level/,
    ],
    ["no scores at all", "say({ id: batch.id });", "PREDICT_FAILED", /where scores were expected/],
    ["an endless line", "process.stdout.write('x'.repeat(3e6));", "PREDICT_FAILED", /longer than/],
  ])("%s: %s", async (name, body, code, message) => {
    const model = command(name, body, { maxLineBytes: 1_000_000, restarts: 0 });
    const error = await failure(() => model.predict(rows));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  test("after an error of its own the process goes on", async () => {
    const model = command("goes on", `if (count === 1) say({ id: batch.id, error: "no" }); else ${ANSWER}`);
    await failure(() => model.predict(rows));
    expect(Array.from(await model.predict(rows))).toEqual(expected);
    expect(starts("goes on")).toHaveLength(1);
  });

  test("options.signal ends it", async () => {
    const stop = new AbortController();
    const model = command("aborted", "", { signal: stop.signal });
    setTimeout(() => stop.abort(), 300);
    expect((await failure(() => model.predict(rows))).code).toBe("ABORTED");
  });

  test("closing a model that is asked ends the call", async () => {
    const model = command("closed early", "");
    const call = failure(() => model.predict(rows));
    setTimeout(() => void model.close(), 300);
    expect((await call).code).toBe("ABORTED");
  });

  test("options outside their range are refused", async () => {
    expect((await failure(() => commandModel("x", { batchRows: 0 }))).code).toBe("OPTION_INVALID");
    expect((await failure(() => commandModel("  "))).code).toBe("OPTION_INVALID");
  });
});

test("commands are split at blanks, quotes apart, and nothing in them is run", () => {
  expect(splitCommand("python  score.py --name 'a b' \"c'd\" $HOME;rm ''")).toEqual([
    "python",
    "score.py",
    "--name",
    "a b",
    "c'd",
    "$HOME;rm",
    "",
  ]);
  expect(() => splitCommand("python 'score.py")).toThrow(/quote/);
});

test("the Python example stands in docs/MODELS.md as it is, and has at most 15 lines", () => {
  const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
  const example = read("examples/score.py").trim();
  expect(read("docs/MODELS.md")).toContain(example);
  expect(example.split("\n").length).toBeLessThanOrEqual(15);
});

const python = pythonWith();
test.skipIf(!python)(
  "examples/score.py, the Python example of the documents, scores (skipped where there is no Python)",
  async () => {
    const file = fileURLToPath(new URL("../../../examples/score.py", import.meta.url));
    const model: Model & { close(): Promise<void> } = commandModel([python!, file]);
    const holed = fromRows([
      [1, null, 0.5],
      [0, 0, 0],
    ]);
    const scores = await model.predict(holed);
    expect(scores[0]).toBeCloseTo(scoreRow([1, 0, 0.5]), 12);
    expect(scores[1]).toBe(0.5);
    await model.close();
  },
);
