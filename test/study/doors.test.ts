/// <reference types="vite/client" />
import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readCsv } from "../../src/data/csv.ts";
import type { Explanation } from "../../src/explanation.ts";
import type { Cell } from "../../src/types.ts";
import { optionRows } from "../../study/options.ts";
import { type GeneratedStudy, generatedStudy } from "../support/door-studies.ts";
import { byBridge, byCommand, byHttp, byPage, type Said } from "../support/doors.ts";
import { temporaryFolder } from "../support/folder.ts";
import { oddStudies } from "../support/odd-studies.ts";
import { testApp } from "../support/server.ts";

const folder = temporaryFolder();
let app: Awaited<ReturnType<typeof testApp>>;
beforeAll(async () => {
  app = await testApp();
});
afterAll(async () => {
  await app.close();
  rmSync(app.folder, { recursive: true, force: true });
});

function explained(said: Said): Explanation {
  if ("explanation" in said) return said.explanation;
  throw new Error(said.refused);
}

async function sameAtEveryDoor(study: GeneratedStudy): Promise<Explanation> {
  const command = explained(await byCommand(study, folder));
  const [now, later] = await byHttp(study, app);
  const page = await byPage(study);
  expect(command.rows.length).toBeGreaterThan(0);
  for (const [door, said] of Object.entries({ now, later, ...(page ? { page } : {}) })) {
    const made = explained(said);
    expect(made.runHash, door).toBe(command.runHash);
    expect(JSON.stringify(made), door).toBe(JSON.stringify(command));
  }
  return command;
}

describe("the same study gives the same bytes at every door", () => {
  test.each(Array.from({ length: 30 }, (_, k) => k))("study %i", async (k) => {
    await sameAtEveryDoor(generatedStudy(k));
  });

  test.each(Object.entries(oddStudies))("%s", async (_, study) => {
    const { rows } = await sameAtEveryDoor(study);
    const { ids } = study.options as { readonly ids?: readonly string[] };
    if (ids) expect(rows.map(({ id }) => id)).toEqual(ids.toSorted());
  });

  test("studies with every option that a request may have", () => {
    const used = new Set(Object.values(oddStudies).flatMap(({ options }) => Object.keys(options)));
    const known = optionRows.flatMap(([name, { http }]) => (http ? [name] : []));
    expect([...used].sort()).toEqual(known.sort());
  });
});

/** Some rows of a study's table, by id, as objects; those that counterfactuals are of among them. */
function rowsOf({ table, counterfactuals }: GeneratedStudy, some: readonly Cell[]): Record<string, Cell>[] {
  const { names, columns } = readCsv(table);
  const own = counterfactuals ? readCsv(counterfactuals) : undefined;
  const ids = [...some, ...(own ? own.columns[own.names.indexOf("id")]! : [])];
  const column = columns[names.indexOf("id")]!;
  const places = [...column.keys()].filter((i) => ids.includes(column[i]!));
  return places.map((i) => Object.fromEntries(names.map((name, c) => [name, columns[c]![i]!])));
}

test.each([
  ...Array.from({ length: 12 }, (_, k) => [`study ${5 * k + 3}`, generatedStudy(5 * k + 3)] as const),
  ["an encoding", oddStudies["an encoding written in any order"]!] as const,
])("the bridge gives the same bytes of a model file and rows of their own: %s", async (_, study) => {
  const { rows } = explained(await byCommand(study, folder));
  const ids = rows.map(({ id }) => id!);
  const beside = { ...study, factuals: rowsOf(study, ids), options: { ...study.options, rows: 70 } };
  const { counterfactuals: own } = beside;
  const command = explained(await byCommand(beside, folder));
  const bridged = explained(await byBridge(beside));
  expect(command.rows.length).toBeGreaterThan(0);
  expect(bridged.runHash).toBe(command.runHash);
  // Counterfactuals have a name where they are a file.
  const said = ({ options, digest, ...all }: Explanation): string =>
    JSON.stringify(own ? [all, { ...options, counterfactuals: "" }] : [all, options, digest]);
  expect(said(bridged)).toBe(said(command));
});

test("what a server holds of one study is not taken for another's", async () => {
  const study = generatedStudy(4);
  const others: GeneratedStudy[] = [
    study,
    { ...study, constraints: { features: { a: { immutable: true } } } },
    { ...study, options: { ...study.options, freeze: "b" } },
    { ...study, options: { ...study.options, missing: "7" } },
    { ...study, options: { ...study.options, seed: 9 } },
    { ...study, counterfactuals: generatedStudy(0).counterfactuals! },
    study,
  ];
  const seen = new Set<string>();
  for (const other of others) {
    const command = explained(await byCommand(other, folder));
    seen.add(command.runHash);
    for (const said of await byHttp(other, app))
      expect(JSON.stringify(explained(said))).toBe(JSON.stringify(command));
  }
  expect(seen.size).toBe(others.length - 1);
});
