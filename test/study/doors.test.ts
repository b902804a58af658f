/// <reference types="vite/client" />
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Explanation } from "../../src/explanation.ts";
import { OPTIONS, type OptionName } from "../../study/options.ts";
import { calls } from "../../web/engine/calls.ts";
import { defaultChoices } from "../../web/settings.ts";
import { cola } from "../support/cli.ts";
import { type GeneratedStudy, generatedStudy } from "../support/door-studies.ts";
import { ended, testApp } from "../support/server.ts";

const folder = mkdtempSync(join(tmpdir(), "cola-doors-"));
let app: Awaited<ReturnType<typeof testApp>>;
beforeAll(async () => {
  app = await testApp();
});
afterAll(async () => {
  await app.close();
  for (const path of [folder, app.folder]) rmSync(path, { recursive: true, force: true });
});

const write = (name: string, content: string): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

async function byCommand(study: GeneratedStudy): Promise<Explanation> {
  const { table, model, constraints, counterfactuals, options } = study;
  const words = Object.entries(options).flatMap(([name, value]) => [
    `--${OPTIONS[name as OptionName].flag}`,
    String(value),
  ]);
  const own = counterfactuals ? ["--counterfactuals", write("own.csv", counterfactuals)] : [];
  const { code, out, err } = await cola(
    ...["explain", "--data", write("table.csv", table), "--out", "-", ...words, ...own],
    ...["--model", "train" in model ? model.train : write(model.name, model.content)],
    ...["--constraints", write("constraints.json", JSON.stringify(constraints))],
  );
  expect(code, err).not.toBe(2);
  return JSON.parse(out) as Explanation;
}

async function uploaded(place: string, name: string, content: string, type: string): Promise<string> {
  const answer = await app.inject({
    method: "POST",
    url: `/v1/${place}?name=${name}`,
    payload: Buffer.from(content),
    headers: { "content-type": type },
  });
  expect(answer.statusCode, answer.body).toBeLessThan(300);
  return (answer.json() as { id: string }).id;
}

async function byHttp(study: GeneratedStudy): Promise<Explanation[]> {
  const { table, model, constraints, counterfactuals, options } = study;
  const payload = {
    data: { id: await uploaded("data", "table.csv", table, "text/csv") },
    model:
      "train" in model
        ? model
        : { id: await uploaded("models", model.name, model.content, "application/octet-stream") },
    ...(counterfactuals
      ? { counterfactuals: { id: await uploaded("counterfactuals", "own.csv", counterfactuals, "text/csv") } }
      : {}),
    constraints,
    options: Object.fromEntries(
      Object.entries(options).map(([name, value]) => [
        name,
        OPTIONS[name as OptionName].kind === "list" ? [value] : value,
      ]),
    ),
  };
  const now = await app.inject({ method: "POST", url: "/v1/explanations", payload });
  expect(now.statusCode, now.body).toBe(200);
  const later = await app.inject({ method: "POST", url: "/v1/jobs", payload });
  const { id } = later.json() as { id: string };
  expect(await ended(app, id)).toMatchObject({ state: "done" });
  return [now.json(), (await app.inject(`/v1/jobs/${id}/result`)).json()];
}

async function byPage(study: GeneratedStudy): Promise<Explanation> {
  const { table, model, constraints, counterfactuals, options } = study;
  const file = (name: string, content: string) => ({ name, bytes: new TextEncoder().encode(content) });
  const { label, id, effect, ...chosen } = options as Record<string, never>;
  await calls.open(file("table.csv", table), {});
  await calls.roles({ ...(label ? { label } : {}), ...(id ? { id } : {}) }, {});
  if ("name" in model) await calls.model({ ...file(model.name, model.content), overlay: constraints }, {});
  if (counterfactuals) await calls.counterfactuals(file("own.csv", counterfactuals), {});
  const known = Object.entries(chosen).filter(([name]) => name in defaultChoices);
  const more = Object.entries(chosen).filter(([name]) => !(name in defaultChoices));
  const { explanation } = await calls.run(
    {
      ...defaultChoices,
      ...Object.fromEntries(known),
      ...(counterfactuals ? { generator: "given" } : {}),
      ...(effect === undefined ? {} : { goal: "group" as const, effect }),
      model: "train" in model ? model.train : "file",
      overlay: constraints,
      more: Object.fromEntries(more),
    },
    {},
  );
  return explanation;
}

describe("the same study gives the same bytes at every door", () => {
  test.each(Array.from({ length: 30 }, (_, k) => k))("study %i", async (k) => {
    const study = generatedStudy(k);
    const command = await byCommand(study);
    const [now, later] = await byHttp(study);
    const page = await byPage(study);
    expect(command.rows.length).toBeGreaterThan(0);
    for (const [door, made] of Object.entries({ now, later, page })) {
      expect(made!.runHash, door).toBe(command.runHash);
      expect(JSON.stringify(made), door).toBe(JSON.stringify(command));
    }
  });
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
    const command = await byCommand(other);
    seen.add(command.runHash);
    for (const made of await byHttp(other)) expect(JSON.stringify(made)).toBe(JSON.stringify(command));
  }
  expect(seen.size).toBe(others.length - 1);
});
