import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect } from "vitest";
import { explain as explainRows } from "../../../src/explain.ts";
import type { Explanation } from "../../../src/explanation.ts";
import { fromRows } from "../../../src/num/matrix.ts";
import type { PredictFunction } from "../../../src/types.ts";
import {
  answered,
  badInputs,
  call,
  type Expected,
  explain,
  explainFile,
  file,
  good,
  type Row,
  refused,
  told,
} from "../../support/bad-inputs.ts";
import { cola } from "../../support/cli.ts";
import { LIST } from "./list.ts";

type Rows = readonly (readonly number[])[];
/** What a server does with the rows of its call number `count`. */
type Answering = (rows: Rows, count: number, response: ServerResponse) => unknown;

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
});

/** The address of a model that answers like this. */
async function served(answer: Answering): Promise<string> {
  let count = 0;
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const scores = answer((JSON.parse(body) as { rows: Rows }).rows, count++, response);
    if (scores !== undefined) response.end(JSON.stringify({ scores }));
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const sum = (row: readonly number[]): number => row[0]! + row[1]!;
const score = (row: readonly number[]): number => 1 / (1 + Math.exp((24.5 - sum(row)) / 3));
const right: Answering = (rows) => rows.map(score);
const unlabelled = good.replaceAll(/,(y|yes|no)$/gm, "");

/** A call is not repeated unless a row says otherwise. */
const once = (words: readonly string[]): string[] =>
  words.includes("--model-retries") ? [] : ["--model-retries", "0"];
const asked = async (answer: Answering, ...rest: string[]): Promise<string[]> =>
  explainFile(file(unlabelled), "--model", await served(answer), ...once(rest), ...rest);
const checked = async (answer: Answering, ...rest: string[]): Promise<string[]> => [
  ...["check", "--data", file(unlabelled), "--model", await served(answer), "--json", ...rest],
];
/** The conformance suite finds these laws broken. */
const breaks =
  (...laws: string[]): Expected =>
  (answer) => {
    expect(answer.code).toBe(3);
    const found = JSON.parse(answer.out) as { ok: boolean; laws: { law: string; ok: boolean }[] };
    expect(found.laws.filter((law) => !law.ok).map((law) => law.law)).toEqual(expect.arrayContaining(laws));
  };
const edited = ({ rows }: Explanation): unknown =>
  rows.map((row) => row.edits.map(({ feature, from, to }) => [feature, from, to]));
/** The plans of the model that behaves. */
const asRight: Expected = answered(0, async (explanation) => {
  const plain = JSON.parse((await cola(...(await asked(right)))).out) as Explanation;
  expect(plain.rows.map((row) => row.status)).toEqual(["ok", "ok"]);
  expect(edited(explanation)).toEqual(edited(plain));
});
const later =
  (answer: Answering, ms: number): Answering =>
  (rows, count, response) => {
    setTimeout(() => response.end(JSON.stringify({ scores: answer(rows, count, response) })), ms).unref();
  };
const status =
  (code: number, headers = {}, body = ""): Answering =>
  (_, __, response) => {
    response.writeHead(code, headers).end(body);
  };
const firstThen =
  (first: Answering, calls: number): Answering =>
  (rows, count, response) =>
    (count < calls ? first : right)(rows, count, response);
const library = (model: PredictFunction) =>
  call(() =>
    explainRows({
      model,
      x: fromRows([
        [1, 2],
        [3, 1],
      ]),
      references: fromRows([
        [39, 10],
        [30, 9],
      ]),
    }),
  );
const plainScores: PredictFunction = (rows) =>
  Array.from({ length: rows.rows }, (_, i) => score([...rows.data.subarray(2 * i, 2 * i + 2)]));
const pairs = ["--outputs", "no,yes", "--target", "yes"];

// biome-ignore format: one bad input per line, where it fits
const ROWS: readonly Row[] = [
  ["5.1", "answers 500", () => asked(status(500, {}, "boom")), refused("PREDICT_FAILED", /answered 500: boom/, 3)],
  ["5.1", "answers 404", () => asked(status(404)), refused("PREDICT_FAILED", /answered 404/, 3)],
  ["5.1", "is not there", () => explainFile(file(unlabelled), "--model", "http://127.0.0.1:9/x", "--model-retries", "0"), refused("PREDICT_FAILED", /127\.0\.0\.1:9\/x could not be reached/, 3)],
  ["5.1", "redirects", () => asked(status(302, { location: "http://127.0.0.1:9/" })), refused("PREDICT_FAILED", /redirects \(302\), which is refused/, 3)],
  ["5.1", "a command that ends", () => explainFile(file(unlabelled), "--model", "command:node -e process.exit(3)", "--model-retries", "0"), refused("PREDICT_FAILED", /ended with code 3/, 3)],
  ["5.1", "a command that is not there", () => explainFile(file(unlabelled), "--model", "command:no-such-command", "--model-retries", "0"), refused("PREDICT_FAILED", /could not be started/, 3)],
  [
    "5.1",
    "a function, on every row",
    () =>
      library(() => {
        throw new Error("boom");
      }),
    told(({ rows }: Explanation) => {
      for (const row of rows)
        expect(row).toMatchObject({
          status: "model_error",
          edits: [],
          reason: expect.stringContaining("boom"),
        });
    }),
  ],
  ["5.2", "beyond the time of a call", () => asked(() => undefined, "--model-timeout", "0.2"), refused("PREDICT_TIMEOUT", /did not answer within --model-timeout = 0.2 s/, 3)],
  ["5.2", "beyond the time of the run", () => asked(() => undefined, "--timeout", "0.2"), refused("PREDICT_TIMEOUT", /did not answer within/, 4)],
  ["5.2", "a command", () => explainFile(file(unlabelled), "--model", "command:sleep 60", "--model-timeout", "0.2", "--model-retries", "0"), refused("PREDICT_TIMEOUT", /--model-timeout = 0.2 s/, 3)],
  ["5.2", "no time at all", () => explain(good, "--timeout", "0"), refused("LIMIT_TIME", "took all of --timeout", 4)],
  ["5.3", "for one row", () => asked((rows) => rows.map((row, i) => (i === 3 ? null : score(row)))), refused("PREDICT_NAN", /no number \(null or NaN\) for row 3/, 3)],
  ["5.3", "Infinity", () => asked((_, __, response) => void response.end(`{"scores":[${"1e999,".repeat(39)}1]}`)), refused("PREDICT_NAN", /Infinity for row 0/, 3)],
  ["5.4", "one too few", () => asked((rows) => rows.slice(1).map(score)), refused("PREDICT_SHAPE", /40 rows were sent and 39 scores came back/, 3)],
  ["5.4", "one too many", () => asked((rows) => [...rows.map(score), 1]), refused("PREDICT_SHAPE", /40 rows were sent and 41 scores/, 3)],
  ["5.4", "of other widths", () => asked((rows) => rows.map((row, i) => (i ? [score(row)] : [0, 1]))), refused("PREDICT_SHAPE", /row 0 .*2 scores and row 1 1/, 3)],
  ["5.4", "none", () => asked((_, __, response) => void response.end("{}")), refused("PREDICT_FAILED", /scores/, 3)],
  ["5.5", "the suite finds it", () => checked((rows) => rows.map(score).reverse()), breaks("permutation", "single rows")],
  ["5.6", "the suite finds it", () => checked((rows, count) => rows.map((row) => score(row) + count * 1e-3)), breaks("determinism")],
  [
    "5.6",
    "a plan is what the last answer says",
    () => asked((rows, count) => rows.map((row) => score(row) - count * 0.01)),
    (answer) => {
      expect([0, 1]).toContain(answer.code);
      for (const row of (JSON.parse(answer.out) as Explanation).rows)
        expect(row.valid).toBe(row.after! > 0.5);
    },
  ],
  ["5.7", "the suite finds it", () => checked((rows, count) => rows.map((row, i) => score(row) + (((i * 7919 + count * 104729) % 97) - 48) * 1e-3)), breaks("determinism")],
  ["5.8", "429 once", () => asked(firstThen(status(429, { "retry-after": "0" }), 1), "--model-retries", "1"), asRight],
  ["5.8", "503 once", () => asked(firstThen(status(503, { "retry-after": "0" }), 1), "--model-retries", "1"), asRight],
  ["5.8", "longer than we wait", () => asked(status(503, { "retry-after": "3600" }), "--model-retries", "4"), refused("PREDICT_FAILED", /answered 503 once and asks to wait 3600000 ms/, 3)],
  ["5.8", "again and again", () => asked(status(429, { "retry-after": "0" }), "--model-retries", "2"), refused("PREDICT_FAILED", /answered 429 3 times/, 3)],
  ["5.9", "half an answer", () => asked((_, __, response) => void response.end('{"scores":[0.1,0.')), refused("PREDICT_FAILED", /not complete JSON.*0\.1,0\./, 3)],
  [
    "5.9",
    "a connection that ends early",
    () =>
      asked((_, __, response) => {
        response.writeHead(200, { "content-length": "1000" });
        response.write('{"scores":[', () => response.destroy());
      }),
    refused("PREDICT_FAILED", /could not be reached/, 3),
  ],
  ["5.9", "no answer", () => asked((_, __, response) => void response.end()), refused("PREDICT_FAILED", /the answer is empty/, 3)],
  ["5.10", "no TLS there", async () => explainFile(file(unlabelled), "--model", (await served(right)).replace("http:", "https:"), "--model-retries", "0"), refused("PREDICT_FAILED", /could not be reached/, 3)],
  ["5.11", "the suite finds it", () => checked((rows) => rows.map((row) => [0.9, score(row)]), "--outputs", "no,yes"), breaks("probabilities")],
  [
    "5.11",
    "of two classes the named one is reached above 0.5",
    () => asked((rows) => rows.map((row) => [0.7, score(row)]), ...pairs),
    answered(0, ({ rows }) => {
      for (const row of rows) expect(row.after).toBeGreaterThan(0.5);
    }),
  ],
  ["5.12", "are scores like others", () => asked((rows) => rows.map(sum), "--target", "score >= 30"), answered(0, ({ rows }) => { for (const row of rows) expect(row.after).toBeGreaterThanOrEqual(30); })],
  ["5.12", "a target out of reach", () => asked(right, "--target", "score >= 30"), answered(1, ({ rows }) => expect(rows[0]).toMatchObject({ status: "infeasible", edits: [] }))],
  ["5.13", "below the target", () => asked((rows) => rows.map(() => 0.2)), answered(1, ({ rows }) => expect(rows[0]).toMatchObject({ status: "infeasible", edits: [], before: 0.2 }))],
  ["5.13", "above the target", () => asked((rows) => rows.map(() => 0.9)), told(({ rows }: Explanation) => expect(rows).toEqual([]))],
  ["5.14", "as text", () => asked((rows) => rows.map((row) => (score(row) > 0.5 ? "yes" : "no"))), refused("PREDICT_FAILED", /"no" where scores were expected.*not labels/, 3)],
  ["5.14", "as 0 and 1", () => asked((rows) => rows.map((row) => (score(row) > 0.5 ? 1 : 0))), answered(0, ({ rows }) => expect(rows[0]).toMatchObject({ before: 0, after: 1, valid: true }))],
  ["5.15", "named in the answer", () => asked((rows) => rows.map((row) => ({ no: 1 - score(row), yes: score(row) })), ...pairs), asRight],
  ["5.15", "not named in the answer", () => asked((rows) => rows.map((row) => ({ bad: 1 - score(row), good: score(row) })), ...pairs), refused("PREDICT_FAILED", /bad, good.*no "no"/, 3)],
  ["5.15", "a target that is none of them", () => asked(right, "--outputs", "no,yes", "--target", "maybe"), refused("TARGET_INVALID", /"maybe".*no, yes/)],
  ["5.15", "in the table", () => explain(good, "--target", "yes"), answered(0, (e) => expect(e.outputs).toEqual(["no", "yes"]))],
  ["5.16", "by name", () => asked((rows, count) => rows.map((row) => count % 2 ? { yes: score(row), no: 1 - score(row) } : { no: 1 - score(row), yes: score(row) }),...pairs), asRight],
  [
    "5.16",
    "by place: the suite finds it",
    () =>
      checked(
        (rows, count) =>
          rows.map((row) => (count % 2 ? [score(row), 1 - score(row)] : [1 - score(row), score(row)])),
        "--outputs",
        "no,yes",
      ),
    breaks("single rows"),
  ],
  [
    "5.17",
    "a model that writes into its rows",
    async () => {
      const pure = await library(plainScores);
      const spoiled = await library((rows) => {
        const scores = plainScores(rows);
        rows.data.fill(0);
        return scores;
      });
      expect(spoiled).toEqual(pure);
      return spoiled;
    },
    told(({ rows }: Explanation) => expect(rows[0]!.edits.length).toBeGreaterThan(0)),
  ],
  ["5.18", "rounds its inputs", () => asked((rows) => rows.map((row) => Math.fround(score(row.map(Math.fround))))), asRight],
  [
    "5.19",
    "without the option",
    () =>
      asked((rows, _, response) =>
        rows.length > 1 ? void response.writeHead(413).end("one row only") : rows.map(score),
      ),
    refused("PREDICT_FAILED", /answered 413: one row only/, 3),
  ],
  ["5.19", "with the option", () => asked((rows, _, response) => (rows.length > 1 ? void response.writeHead(413).end() : rows.map(score)), "--model-batch", "1"), asRight],
  ["5.20", "is given up", () => asked(later(right, 10_000), "--model-timeout", "0.2"), refused("PREDICT_TIMEOUT", /0.2 s; raise it or lower --model-batch/, 3)],
  ["5.21", "is asked again later", () => asked(firstThen(status(429), 2), "--model-retries", "3"), asRight],
];

badInputs("5 models", LIST.models, ROWS);
