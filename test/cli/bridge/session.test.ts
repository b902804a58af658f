import { afterEach, expect, test } from "vitest";
import { type Frame, frameBytes } from "../../../cli/bridge/frames.ts";
import { readArrow, readArrowNumbers, writeArrow } from "../../../formats/arrow.ts";
import type { Explanation } from "../../../src/explanation.ts";
import { stream } from "../../../src/num/random.ts";
import type { Matrix, Table } from "../../../src/types.ts";
import { bridge } from "../../support/bridge.ts";

const open: ReturnType<typeof bridge>[] = [];
const opened = (...given: Parameters<typeof bridge>) => {
  const made = bridge(...given);
  open.push(made);
  return made;
};
afterEach(() => {
  for (const one of open.splice(0)) one.input.end();
});

/** Income and debt of some people, by name. */
function people(count: number, from = 0): Table {
  const random = stream(7, "people", String(from));
  const column = (top: number): number[] =>
    Array.from({ length: count }, () => Math.round(top * random.next()));
  return {
    names: ["name", "income", "debt", "home"],
    columns: [
      Array.from({ length: count }, (_, i) => `P${from + i}`),
      column(100),
      column(40),
      Array.from({ length: count }, (_, i) => (i % 3 === 0 ? "rent" : "own")),
    ],
    rows: count,
  };
}

/** σ(0.1 income − 0.2 debt − 3), and one less for those who rent (its code is 1). */
function sigmoid({ rows, data, cols }: Matrix): Matrix {
  const scores = new Float64Array(rows * 2);
  for (let i = 0; i < rows; i++) {
    const [income = 0, debt = 0, home = 0] = data.subarray(i * cols, (i + 1) * cols);
    scores[2 * i + 1] = 1 / (1 + Math.exp(3 - 0.1 * income + 0.2 * debt + home));
    scores[2 * i] = 1 - scores[2 * i + 1]!;
  }
  return { rows, cols: 2, data: scores };
}

const LINEAR = {
  ...{ type: "logistic", version: 1, outputs: ["no", "yes"], link: "logistic", cols: 3 },
  ...{ weights: [0.1, -0.2, -1], intercepts: [-3] },
};

async function withModel(engine: ReturnType<typeof bridge>, model: Omit<Frame, "type">): Promise<string> {
  const { study } = await engine.ask("open", {
    options: { id: "name", target: "yes" },
    constraints: { features: { income: { direction: "up" } } },
    parts: { table: writeArrow(people(200)) },
  });
  await engine.ask("model", { study, ...model });
  return study as string;
}

const ASKED = { outputs: ["no", "yes"] };
const STRUCTURE = {
  file: "model.json",
  encoding: {
    inputs: [{ feature: "income" }, { feature: "debt" }, { feature: "home", codes: { own: 0, rent: 1 } }],
  },
  parts: { model: Buffer.from(JSON.stringify(LINEAR)) },
};

const explanationOf = ({ parts = {} }: Frame): Explanation =>
  JSON.parse(Buffer.from(parts["explanation"]!).toString()) as Explanation;

test("a caller that answers for its model gets plans that its own scores confirm", async () => {
  const engine = opened(sigmoid);
  const study = await withModel(engine, ASKED);
  const result = await engine.ask("explain", { study, parts: { rows: writeArrow(people(5, 1000)) } });
  expect(result).toMatchObject({ type: "result", done: 5, stopped: false });
  const plans = readArrow(result.parts!["plans"]!);
  const column = (name: string) => plans.columns[plans.names.indexOf(name)]!;
  expect(column("id")).toEqual(people(5, 1000).columns[0]);
  const codes = Float64Array.from({ length: 15 }, (_, c) => {
    const cell = column(["income", "debt", "home"][c % 3]!)[Math.floor(c / 3)]!;
    return typeof cell === "string" ? Number(cell === "rent") : Number(cell);
  });
  const own = sigmoid({ rows: 5, cols: 3, data: codes });
  expect(column("score")).toEqual(Array.from({ length: 5 }, (_, i) => own.data[2 * i + 1]));
  expect(column("valid")).toEqual([true, true, true, true, true]);
});

test("a structure is asked nothing, scores the same and carries proofs over any legal value", async () => {
  const engine = opened(sigmoid);
  const rows = writeArrow(people(5, 1000));
  const study = await withModel(engine, STRUCTURE);
  const { parts } = await engine.ask("score", { study, parts: { rows } });
  const asked = await withModel(engine, ASKED);
  const answered = await engine.ask("score", { study: asked, parts: { rows } });
  const other = readArrowNumbers(answered.parts!["scores"]!).data;
  readArrowNumbers(parts!["scores"]!).data.forEach((score, i) => {
    expect(score).toBeCloseTo(other[i]!, 14);
  });
  const before = engine.heard.filter(({ type }) => type === "question").length;
  const { rows: explained } = explanationOf(await engine.ask("explain", { study, parts: { rows } }));
  expect(engine.heard.filter(({ type }) => type === "question").length).toBe(before);
  expect(explained.filter(({ proof }) => proof?.scope === "model").length).toBeGreaterThan(0);
});

test("options of the model are heard: retrained models judge plans, or it is said why they cannot", async () => {
  const engine = opened(sigmoid);
  const { study } = await engine.ask("open", {
    options: { id: "name", target: "yes", label: "home", retrain: 2, judges: 1 },
    parts: { table: writeArrow(people(200)) },
  });
  const document = { ...LINEAR, cols: 2, weights: [0.1, -0.2] };
  const encoding = { inputs: [{ feature: "income" }, { feature: "debt" }] };
  const parts = { model: Buffer.from(JSON.stringify(document)) };
  await engine.ask("model", { study, file: "model.json", encoding, parts });
  const made = await engine.ask("explain", { study, parts: { rows: writeArrow(people(5, 1000)) } });
  expect(JSON.stringify(explanationOf(made))).toContain('"survival":');
  const asked = await engine.ask("model", { study, ...ASKED });
  expect(asked).toMatchObject({ type: "error", code: "OPTION_INVALID" });
});

test("what a model file does not read is frozen, and told; a model that is asked reads all", async () => {
  const engine = opened(sigmoid);
  const study = await withModel(engine, ASKED);
  const document = { ...LINEAR, cols: 2, weights: [0.1, -0.2] };
  const made = await engine.ask("model", {
    ...{ study, file: "model.json", encoding: { inputs: STRUCTURE.encoding.inputs.slice(0, 2) } },
    parts: { model: Buffer.from(JSON.stringify(document)) },
  });
  expect(made["notes"]).toEqual([expect.stringMatching(/^home is not an input of the model/)]);
  const frozen = async (): Promise<(string | undefined)[]> => {
    const result = await engine.ask("explain", { study, parts: { rows: writeArrow(people(2, 1000)) } });
    return explanationOf(result).schema.features.flatMap(({ name, immutable }) => (immutable ? [name] : []));
  };
  expect(await frozen()).toEqual(["home"]);
  expect(await engine.ask("model", { study, ...ASKED })).toMatchObject({ notes: [] });
  expect(await frozen()).toEqual([]);
});

test("counterfactuals of the caller are refined; coupling and attribution answer by the rows' numbers", async () => {
  const engine = opened(sigmoid);
  const study = await withModel(engine, STRUCTURE);
  const [rows, others] = [people(4, 1000), people(40, 2000)];
  const counterfactuals = writeArrow({
    ...others,
    names: others.names.slice(1),
    columns: others.columns.slice(1),
  });
  const parts = { rows: writeArrow(rows), counterfactuals };
  const refined = await engine.ask("explain", { study, parts });
  expect(explanationOf(refined).options["counterfactuals"]).toBe("the counterfactuals of the caller");
  const coupled = await engine.ask("couple", { study, parts });
  const entries = readArrow(coupled.parts!["entries"]!);
  expect(entries.columns[2]!.reduce<number>((sum, mass) => sum + Number(mass), 0)).toBeCloseTo(1, 12);
  const phi = await engine.ask("attribute", { study, parts });
  const values = readArrowNumbers(phi.parts!["values"]!);
  expect([values.rows, values.cols, phi["exact"]]).toEqual([4, 3, true]);
});

test("a model that fails says so with our code, row by row where only some fail", async () => {
  const failing = opened((rows) => (rows.data.includes(7777) ? "income must be below 7000" : sigmoid(rows)));
  const study = await withModel(failing, ASKED);
  const rows = people(3, 1000);
  const odd = { ...rows, columns: rows.columns.map((c, k) => (k === 1 ? [c[0]!, 7777, c[2]!] : c)) };
  const { rows: told } = explanationOf(
    await failing.ask("explain", { study, parts: { rows: writeArrow(odd) } }),
  );
  expect(told.map(({ status }) => status === "model_error")).toEqual([false, true, false]);
  expect(told[1]!.reason).toContain("income must be below 7000");
  for (const [answer, code] of [
    ["no luck", "PREDICT_FAILED"],
    [{ rows: 1, cols: 2, data: Float64Array.of(0, 1) }, "PREDICT_SHAPE"],
    [{ rows: 3, cols: 2, data: new Float64Array(6).fill(Number.NaN) }, "PREDICT_NAN"],
  ] as const) {
    const engine = opened(() => answer);
    const one = await withModel(engine, ASKED);
    const error = await engine.ask("score", { study: one, parts: { rows: writeArrow(rows) } });
    expect(error).toMatchObject({ type: "error", code });
  }
});

test("cancel gives what is done: every row is told, those not reached as such", async () => {
  const engine = opened(() => undefined); // never answers
  const study = await withModel(engine, ASKED);
  const answered = engine.ask("explain", { study, parts: { rows: writeArrow(people(5, 1000)) } });
  await new Promise((resolve) => setTimeout(resolve, 50));
  engine.cancel(3);
  const { stopped, done, parts } = await answered;
  expect({ stopped, done }).toEqual({ stopped: true, done: 0 });
  expect(explanationOf({ type: "result", parts: parts! }).rows.map(({ status }) => status)).toEqual(
    new Array(5).fill("budget"),
  );
});

test("a report is one page that fetches nothing", async () => {
  const engine = opened(sigmoid);
  const study = await withModel(engine, STRUCTURE);
  const { parts } = await engine.ask("explain", { study, parts: { rows: writeArrow(people(2, 1000)) } });
  const page = await engine.ask("render", { parts: { explanation: parts!["explanation"]! } });
  const html = Buffer.from(page.parts!["file"]!).toString();
  expect(html).toMatch(/^<!doctype html>/i);
  expect(html.match(/(src|href)="https?:/g)).toBeNull();
});

test("bad requests are errors with codes, and the session goes on", async () => {
  const engine = opened(sigmoid);
  const table = writeArrow(people(20));
  for (const [type, told, code] of [
    ["explain", { study: "s9" }, "BRIDGE_INVALID"],
    ["sing", {}, "BRIDGE_INVALID"],
    ["open", {}, "BRIDGE_INVALID"],
    ["open", { parts: { table: Buffer.from("no arrow") } }, "TABLE_INVALID"],
    ["open", { options: { rows: "many" }, parts: { table } }, "OPTION_INVALID"],
    ["open", { options: { speed: 1 }, parts: { table } }, "NAME_UNKNOWN"],
    ["open", { options: { dateParts: ["name"] }, parts: { table } }, "OPTION_INVALID"],
    ["open", { constraints: { features: { wage: { min: 0 } } }, parts: { table } }, "CONSTRAINT_INVALID"],
    ["open", { constraints: [], parts: { table } }, "OPTION_INVALID"],
    ["render", { format: "pdf", parts: { explanation: Buffer.from("{}") } }, "NAME_UNKNOWN"],
  ] as const)
    expect(await engine.ask(type, told)).toMatchObject({ type: "error", code });
  expect(await engine.ask("open", { parts: { table } })).toMatchObject({ type: "result" });
});

test("columns may be called like parts of every object", async () => {
  const engine = opened(sigmoid);
  const table = writeArrow({ ...people(200), names: ["name", "constructor", "__proto__", "home"] });
  const { schema } = await engine.ask("open", { kinds: { home: "categorical" }, parts: { table } });
  const { features } = schema as Explanation["schema"];
  expect(features.map(({ name, kind }) => [name, kind])).toContainEqual(["constructor", "integer"]);
  expect(features.map(({ name }) => name)).toContain("__proto__");
});

test("300 damaged messages: an answer or the end of the session with a code, never silence", async () => {
  const random = stream(3, "fuzz");
  const good = frameBytes({ type: "open", id: 1, parts: { table: writeArrow(people(20)) } });
  for (let n = 0; n < 300; n++) {
    const bytes = Buffer.from(good);
    const change = n % 3;
    // Half of the damage is done where the frame says how long it is and what it asks for.
    const last = n % 2 === 0 ? bytes.length : 120;
    for (let k = 0; k <= n % 5; k++)
      bytes[Math.floor(random.next() * last)] = Math.floor(256 * random.next());
    const engine = bridge();
    engine.input.end(change === 0 ? bytes.subarray(0, Math.floor(random.next() * bytes.length)) : bytes);
    const error = await engine.ended;
    if (error !== undefined) expect(error).toMatchObject({ code: "BRIDGE_INVALID" });
    for (const { type, code } of engine.heard) if (type === "error") expect(code).not.toBe("INTERNAL");
  }
}, 60_000);
