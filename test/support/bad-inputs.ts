import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { exitCodeOf } from "../../cli/run.ts";
import { ColaError, type ErrorCode } from "../../src/errors.ts";
import type { Explanation } from "../../src/explanation.ts";
import { type Answer, cola } from "./cli.ts";

/** Most that one bad input may cost, in milliseconds of processor time; waiting for busy cores does not count. */
const LIMIT_MS = 5000;
/** When an input counts as never answered. */
const NEVER_MS = 300_000;

/** Words for the command line, or what a call of the library came to. */
export type Run = () => readonly string[] | Promise<readonly string[] | Answer>;
export type Expected = (answer: Answer, words: readonly string[]) => void | Promise<void>;
/** Number in the list, which form of it, how to make it, what must come of it. */
export type Row = readonly [id: string, what: string, run: Run, expected: Expected];

const folder = mkdtempSync(join(tmpdir(), "cola-bad-"));
let count = 0;
/** A path of its own in a folder that goes away. */
export const place = (name: string): string => join(folder, `${count++}-${name}`);

export function file(content: string | Uint8Array, name = "table.csv"): string {
  const path = place(name);
  writeFileSync(path, content);
  return path;
}
export const json = (value: unknown): string => file(JSON.stringify(value), "file.json");

/** 40 rows of which a and b decide y. */
export const cells = Array.from({ length: 40 }, (_, i) => [i, (i * 7) % 11] as const);
export const labelOf = (a: number, b: number): string => (a + b > 24 ? "yes" : "no");
export const good = csv(["a", "b", "y"], ...cells.map(([a, b]) => [a, b, labelOf(a, b)]));

export function csv(...lines: readonly (readonly unknown[])[]): string {
  return `${lines.map((line) => line.join(",")).join("\n")}\n`;
}

/** Two rows are enough to see what comes of a table. */
const QUICK = ["--rows", "2", "--formats", "csv", "--json"];
/** `cola explain` of a table, trained on its column y. */
export function explain(content: string | Uint8Array, ...rest: string[]): string[] {
  return explainFile(file(content), "--label", "y", ...rest);
}
export function explainFile(path: string, ...rest: string[]): string[] {
  return ["explain", "--data", path, "--out", place("out"), ...QUICK, ...rest];
}

/** `cola explain` of a query, trained on its column y. */
export function queried(sql: string): string[] {
  return ["explain", "--sql", sql, "--label", "y", "--out", place("out"), ...QUICK];
}
/** `cola refine` of files: rows, their counterfactuals, a model. */
export function refine(x: string, r: string, model: string, ...rest: string[]): string[] {
  const files = ["--data", x, "--counterfactuals", r, "--model", model, "--out", place("out")];
  return ["refine", ...files, "--formats", "csv", "--json", ...rest];
}

const models = new Map<string, Promise<string>>();
/** The file of a model trained on column y of a table, once. */
export function trained(content = good): Promise<string> {
  const train = async (): Promise<string> => {
    const path = place("model.json");
    await cola("train", "--data", file(content), "--label", "y", "--model-out", path);
    return path;
  };
  const made = models.get(content) ?? train();
  models.set(content, made);
  return made;
}

/** A call of the library, told as the command line would tell it. */
export async function call(run: () => unknown): Promise<Answer> {
  try {
    return { code: 0, out: JSON.stringify(await run()), err: "" };
  } catch (error) {
    if (!(error instanceof ColaError)) throw error;
    const { code, message } = error;
    return { code: exitCodeOf(error), out: JSON.stringify({ error: { code, message } }), err: "" };
  }
}

/** Refused with this code, a message with this part and this exit status; nothing is written, no stack is shown. */
export function refused(code: ErrorCode, part: string | RegExp, exit = 2): Expected {
  return (answer, words) => {
    const { error } = JSON.parse(answer.out) as { error?: { code: string; message: string } };
    expect(error?.code, answer.out.slice(0, 500)).toBe(code);
    expect(error!.message).toMatch(part);
    expect(error!.message.length).toBeGreaterThan(20);
    expect(answer.out + answer.err).not.toMatch(/\n\s+at .*:\d+/);
    expect(answer.code).toBe(exit);
    expect(existsSync(outOf(words)), "the output folder").toBe(false);
  };
}

/** Refused by the parser of the command line. */
export const misused = (part: string | RegExp): Expected => refused("OPTION_INVALID", part);

/** Answered: the explanation and what else it must be. */
export function answered(
  exit: number,
  check: (explanation: Explanation, out: string, err: string) => void | Promise<void> = () => {},
): Expected {
  return async (answer, words) => {
    expect(answer.code, answer.out.slice(0, 500) + answer.err).toBe(exit);
    await check(JSON.parse(answer.out) as Explanation, outOf(words), answer.err);
  };
}

/** A call that came to a value. */
export function told(check: (value: never) => void): Expected {
  return (answer) => {
    expect(answer.code, answer.out).toBe(0);
    check(JSON.parse(answer.out) as never);
  };
}

const outOf = (words: readonly string[]): string => words[words.indexOf("--out") + 1] ?? place("nowhere");

/** Runs the rows of one item of the list, each within the limit of processor time, and fails where a word of the list has no row. */
export function badInputs(item: string, list: readonly string[], rows: readonly Row[]): void {
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  describe(item, () => {
    test.each(rows)(
      "%s %s",
      async (_id, _what, run, expected) => {
        const began = process.cpuUsage();
        const made = await run();
        const words = Array.isArray(made) ? (made as readonly string[]) : [];
        const answer = Array.isArray(made) ? await cola(...words) : (made as Answer);
        const { user, system } = process.cpuUsage(began);
        await expected(answer, words);
        expect((user + system) / 1000, "milliseconds of processor time").toBeLessThan(LIMIT_MS);
      },
      NEVER_MS,
    );

    test("every word of the list has a row, and every row a word", () => {
      const known = list.map((_, k) => `${item.split(" ")[0]}.${k + 1}`);
      expect([...new Set(rows.map(([id]) => id))].sort()).toEqual(known.sort());
    });
  });
}
