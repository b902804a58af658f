import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeJsonLines } from "../../formats/json-lines.ts";
import { loans } from "../../src/data/loans.ts";
import type { Table } from "../../src/types.ts";
import { dataOf } from "../../study/data.ts";
import { linesOf } from "../../study/lines.ts";
import { modelOf } from "../../study/model.ts";
import type { Given } from "../../study/options.ts";
import { openStudy, savedStudy } from "../../study/saved.ts";
import { type Study, studyOf } from "../../study/study.ts";
import { COMMAND } from "../support/command.ts";

async function studied(name: string, options: Given = {}): Promise<Study> {
  const data = dataOf({ options });
  return studyOf(data, await modelOf({ model: { train: name } }, data, {}), options);
}

const { table } = loans();

function some(from: number, to: number): Table {
  return {
    names: table.names,
    columns: table.columns.map((column) => column.slice(from, to)),
    rows: to - from,
  };
}

test.each(["logistic", "gradboost", "mlp"])(
  "lines of a saved %s are those of the study, however rows are cut",
  async (name) => {
    const study = await studied(name, { target: "granted" });
    const again = openStudy("study.json", savedStudy(study));
    const whole = await linesOf(study, some(0, 12), {});
    const cut = [
      ...(await linesOf(again, some(0, 5), {})),
      ...(await linesOf(again, some(5, 6), {})),
      ...(await linesOf(again, some(6, 12), {})),
    ];
    expect(JSON.stringify(cut)).toBe(JSON.stringify(whole));
    expect(whole.filter(({ edits }) => (edits as unknown[]).length > 0).length).toBeGreaterThan(0);
  },
);

test.each(["logistic", "mlp"])("rows without the name a study knows are not numbered: %s", async (name) => {
  const study = await studied(name, { target: "granted", id: "name" });
  const whole = await linesOf(study, some(0, 6), {});
  expect(whole.every((line) => !("id" in line))).toBe(true);
  const cut = [...(await linesOf(study, some(0, 3), {})), ...(await linesOf(study, some(3, 6), {}))];
  expect(JSON.stringify(cut)).toBe(JSON.stringify(whole));
  const { names, columns, rows } = some(0, 6);
  const named = (labels: (string | null)[]): Table => ({
    names: ["name", ...names],
    columns: [labels, ...columns],
    rows,
  });
  const mixed = await linesOf(study, named(["a", null, "c", null, null, "f"]), {});
  expect(mixed.map((line) => line["id"])).toEqual(["a", undefined, "c", undefined, undefined, "f"]);
  for (const i of [1, 3, 4]) expect(JSON.stringify(mixed[i])).toBe(JSON.stringify(whole[i]));
});

test("a row that cannot be read is a line, and the others keep theirs", async () => {
  const study = await studied("logistic", { target: "granted" });
  const rows = some(0, 6);
  const at = rows.names.indexOf("income");
  const odd = {
    ...rows,
    columns: rows.columns.map((c, k) => (k === at ? c.map((v, i) => (i === 2 ? "lots" : v)) : c)),
  };
  const lines = await linesOf(study, odd, {});
  expect(lines[2]).toMatchObject({
    status: "invalid_input",
    reason: expect.stringContaining("lots") as string,
  });
  const good = await linesOf(study, rows, {});
  expect(JSON.stringify(lines.toSpliced(2, 1))).toBe(JSON.stringify(good.toSpliced(2, 1)));
});

test("a damaged study is refused, and so is one whose rows are joined", async () => {
  const text = savedStudy(await studied("logistic", { target: "granted" }));
  const code = (given: string): unknown => {
    try {
      openStudy("study.json", given);
      return undefined;
    } catch (error) {
      return (error as { code?: unknown }).code;
    }
  };
  expect(code(text)).toBeUndefined();
  expect(code(text.replace('"weights":[', '"weights":[0,'))).toBe("MODEL_FILE_INVALID");
  expect(code('{"type":"cola-study","version":2}')).toBe("MODEL_FILE_INVALID");
  expect(code("[]")).toBe("MODEL_FILE_INVALID");
  const joint = await studied("logistic", { effect: 0.8 });
  await expect(linesOf(joint, some(0, 2), {})).rejects.toMatchObject({ code: "OPTION_INVALID" });
});

test("cola pipe prints the lines of its input in order, and whole lines when it is ended", async () => {
  const folder = mkdtempSync(join(tmpdir(), "cola-pipe-"));
  const study = await studied("logistic", { target: "granted" });
  writeFileSync(join(folder, "study.json"), savedStudy(study));
  const words = [...COMMAND, "pipe", "--study", join(folder, "study.json")];
  const run = (rows: string, kill: boolean): Promise<{ out: string; signal: unknown }> =>
    new Promise((resolve) => {
      const child = execFile(process.execPath, words, (error, out) =>
        resolve({ out, signal: error ? (error.code ?? error.signal) : 0 }),
      );
      child.stdin!.write(rows);
      if (!kill) child.stdin!.end();
      else child.stdout!.once("data", () => child.kill("SIGTERM"));
    });
  const expected = (await linesOf(study, some(0, 3), {})).map((line) => `${JSON.stringify(line)}\n`).join("");
  expect((await run(writeJsonLines(some(0, 3)), false)).out).toBe(expected);
  const ended = await run(writeJsonLines(some(0, 300)), true);
  expect(ended).toMatchObject({ signal: 143 });
  expect(ended.out.split("\n").length).toBe(257);
  expect(ended.out.startsWith(expected)).toBe(true);
  expect(readFileSync(join(folder, "study.json"), "utf8")).toContain('"type":"cola-study"');
});
