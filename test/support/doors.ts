import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { expect } from "vitest";
import type { Frame } from "../../cli/bridge/frames.ts";
import { writeArrow } from "../../formats/arrow.ts";
import { readTable } from "../../formats/index.ts";
import type { Explanation } from "../../src/explanation.ts";
import { OPTIONS, type OptionName } from "../../study/options.ts";
import { calls } from "../../web/engine/calls.ts";
import type { RunRequest } from "../../web/engine/protocol.ts";
import { defaultChoices } from "../../web/settings.ts";
import { bridge } from "./bridge.ts";
import { cola } from "./cli.ts";
import type { GeneratedStudy } from "./door-studies.ts";
import { ended } from "./server.ts";

/** What a door says: an explanation, or why there is none. */
export type Said = { readonly explanation: Explanation } | { readonly refused: string };

/** `cola explain`; its files are put into a folder. */
export async function byCommand(study: GeneratedStudy, folder: string): Promise<Said> {
  const { table, model, constraints, schema, encoding, factuals, counterfactuals, options } = study;
  const file = (name: string, content: unknown): string => {
    const path = join(folder, name);
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  };
  const given = (flag: string, name: string, content: unknown): string[] =>
    content === undefined ? [] : [flag, file(name, content)];
  const words = Object.entries(options).flatMap(([name, value]) => [
    `--${OPTIONS[name as OptionName].flag}`,
    ...(value === true ? [] : [String(value)]),
  ]);
  const rows = factuals?.map((row) => `${JSON.stringify(row)}\n`).join("");
  const { code, out, err } = await cola(
    ...["explain", "--out", "-", ...words],
    ...given(rows ? "--references" : "--data", "table.csv", table),
    ...given("--data", "rows.jsonl", rows),
    ...given("--counterfactuals", "own.csv", counterfactuals),
    ...given("--constraints", "constraints.json", constraints),
    ...given("--schema", "schema.json", schema),
    ...given("--encoding", "encoding.json", encoding),
    ...["--model", "train" in model ? model.train : file(model.name, model.content)],
  );
  return code === 2 ? { refused: err } : { explanation: JSON.parse(out) as Explanation };
}

async function uploaded(app: FastifyInstance, place: string, name: string, content: string): Promise<string> {
  const answer = await app.inject({
    method: "POST",
    url: `/v1/${place}?name=${name}`,
    payload: Buffer.from(content),
    headers: { "content-type": place === "models" ? "application/octet-stream" : "text/csv" },
  });
  expect(answer.statusCode, answer.body).toBeLessThan(300);
  return (answer.json() as { id: string }).id;
}

/** The HTTP API: at once, and as a job. */
export async function byHttp(study: GeneratedStudy, app: FastifyInstance): Promise<readonly [Said, Said]> {
  const { table, model, constraints, schema, encoding, factuals, counterfactuals, options } = study;
  const spec = encoding ? { encoding } : {};
  const payload = {
    data: { id: await uploaded(app, "data", "table.csv", table) },
    model:
      "train" in model ? model : { id: await uploaded(app, "models", model.name, model.content), ...spec },
    ...(counterfactuals
      ? { counterfactuals: { id: await uploaded(app, "counterfactuals", "own.csv", counterfactuals) } }
      : {}),
    ...(factuals ? { factuals } : {}),
    ...(schema ? { schema } : {}),
    constraints,
    options: Object.fromEntries(
      Object.entries(options).map(([name, value]) => [
        name,
        OPTIONS[name as OptionName].kind === "list" ? [value].flat() : value,
      ]),
    ),
  };
  const said = (state: string, body: string): Said =>
    state === "200" || state === "done" ? { explanation: JSON.parse(body) } : { refused: body };
  const now = await app.inject({ method: "POST", url: "/v1/explanations", payload });
  const later = await app.inject({ method: "POST", url: "/v1/jobs", payload });
  const { id } = later.json() as { id: string };
  const job = await ended(app, id);
  const { body } = await app.inject(`/v1/jobs/${id}/result`);
  return [said(String(now.statusCode), now.body), said(String(job["state"]), body)];
}

/** The page's engine; undefined where the study has what the page has no place for: a schema file, rows beside the table. */
export async function byPage(study: GeneratedStudy): Promise<Said | undefined> {
  const { table, model, constraints, encoding, counterfactuals } = study;
  if (study.schema || study.factuals) return undefined;
  const file = (name: string, content: string) => ({ name, bytes: new TextEncoder().encode(content) });
  const { label, id, exclude, decimalComma, missing, dateParts, effect, outputs, ...chosen } =
    study.options as Record<string, never>;
  const roles = { label, id, exclude, decimalComma, missing, dateParts };
  const overlay = constraints as RunRequest["overlay"];
  await calls.open(file("table.csv", table), {});
  await calls.roles(Object.fromEntries(Object.entries(roles).filter(([, value]) => value !== undefined)), {});
  if ("name" in model) {
    await calls.model({ ...file(model.name, model.content), overlay }, {});
    await calls.match({ overlay, ...(encoding ? { encoding } : {}), ...(outputs ? { outputs } : {}) }, {});
  }
  if (counterfactuals) await calls.counterfactuals(file("own.csv", counterfactuals), {});
  const known = Object.entries(chosen).filter(([name]) => name in defaultChoices);
  const more = Object.entries(chosen).filter(([name]) => !(name in defaultChoices));
  const settings = {
    ...defaultChoices,
    ...Object.fromEntries(known),
    ...(counterfactuals ? { generator: "given" } : {}),
    ...(effect === undefined ? {} : { goal: "group" as const, effect }),
    model: "train" in model ? model.train : "file",
    overlay,
    more: Object.fromEntries(more),
  };
  try {
    return { explanation: (await calls.run(settings, {})).explanation };
  } catch (error) {
    return { refused: (error as Error).message };
  }
}

/** The bridge, as the Python package speaks to it: a model file, and rows of their own. */
export async function byBridge(study: GeneratedStudy): Promise<Said> {
  const { table, model, constraints, schema, encoding, factuals, counterfactuals, options } = study;
  if ("train" in model || !factuals) throw new Error("the bridge takes a model file and rows of their own");
  const { missing: _, decimalComma, outputs, ...chosen } = options;
  const arrow = async (name: string, text: string): Promise<Uint8Array> =>
    writeArrow(
      await readTable(name, new TextEncoder().encode(text), decimalComma === true ? { decimalComma } : {}),
    );
  const rows = await arrow("rows.jsonl", factuals.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const own = counterfactuals ? { counterfactuals: await arrow("own.csv", counterfactuals) } : {};
  const engine = bridge();
  const said = async (type: string, told: Omit<Frame, "type">): Promise<Frame> => {
    const frame = await engine.ask(type, told);
    if (frame.type === "error") throw new Error(String(frame["message"]));
    return frame;
  };
  try {
    const { study: opened } = await said("open", {
      options: chosen,
      constraints,
      source: "table.csv",
      ...(schema ? { schema } : {}),
      parts: { table: await arrow("table.csv", table), rows, ...own },
    });
    await said("model", {
      study: opened,
      file: model.name,
      ...(outputs ? { outputs: String(outputs).split(",") } : {}),
      ...(encoding ? { encoding } : {}),
      parts: { model: Buffer.from(model.content) },
    });
    const { parts } = await said("explain", { study: opened, parts: { rows, ...own } });
    return { explanation: JSON.parse(Buffer.from(parts!["explanation"]!).toString()) };
  } catch (error) {
    return { refused: (error as Error).message };
  } finally {
    engine.input.end();
  }
}
