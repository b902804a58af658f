import { readFileBytes } from "../../node/files.ts";
import { runtimeOf } from "../../node/model/onnx.ts";
import { readTableFile } from "../../node/tables.ts";
import type { Feature } from "../../src/certificate.ts";
import { ColaError } from "../../src/errors.ts";
import { flatten } from "../../src/flatten/flatten.ts";
import { readModel } from "../../src/read/model-file.ts";
import type { Table } from "../../src/types.ts";
import type { Against } from "../../src/verify/against.ts";
import { levelsOf } from "../../src/verify/legal.ts";
import { type Verdict, verify } from "../../src/verify/verify.ts";
import type { Given } from "../../study/options.ts";
import { checkFile } from "../checked.ts";
import { paint } from "../paint.ts";
import type { CommandSpec } from "../parse.ts";
import { EXIT } from "../run.ts";
import { tableOptions } from "../sources.ts";

/** Bytes a certificate and a model file may have. */
const MOST_BYTES = 2 ** 28;

/**
 * Checks a certificate against the model file, and the table where it is given, without the search that found it; an
 * explanation against its digest and whatever is named of model, table and certificate; a letter, report or card against its
 * explanation.
 */
export const verifyCommand: CommandSpec = {
  name: "verify",
  summary:
    "check a certificate without the search that found it, or an explanation, report, letter or card for changes",
  arguments: "<file>",
  options: [
    ...([
      "model",
      "data",
      "id",
      "label",
      "certificate",
      "explanation",
      "reasons",
      "encoding",
      "calibration",
      "outputs",
    ] as const),
    ...(["missing", "decimalComma", "maxBytes", "json"] as const),
  ],
  examples: [
    "cola verify out/explanation.json --model model.json --data loans.csv --id id",
    "cola verify out/report.html --explanation out/explanation.json",
    "cola verify certificate.json --model model.json --data loans.csv --id id",
  ],
  async run(given, path = "") {
    const bytes = readFileBytes(path, given.maxBytes ?? MOST_BYTES);
    const checked = await checkFile(path, bytes, given, (text) => againstOf(given, text));
    if (checked) {
      process.stdout.write(given.json ? `${JSON.stringify(checked.json)}\n` : checked.text);
      return checked.ok ? EXIT.ok : EXIT.someRows;
    }
    if (!given.model)
      throw new ColaError(
        "OPTION_INVALID",
        "verify: name the model file that the proofs are about with --model.",
      );
    const text = new TextDecoder().decode(bytes);
    const verdict = await verify(text, await againstOf(given, text));
    process.stdout.write(given.json ? `${JSON.stringify(verdict)}\n` : verdictText(given, path, verdict));
    return verdict.accepted ? EXIT.ok : EXIT.someRows;
  },
};

/** Model and table as the checker reads them. */
async function againstOf(given: Given, text: string): Promise<Against> {
  return { ...(given.model ? await modelOf(given, given.model) : {}), ...(await tableOf(given, text)) };
}

/** The model as its file says, or, where only the ordinary reader knows the format, its scores. */
async function modelOf({ maxBytes = MOST_BYTES }: Given, path: string): Promise<Against> {
  const bytes = readFileBytes(path, maxBytes);
  const flat = ownFormat(bytes);
  if (flat) return flat;
  const { model } = await readModel(path, bytes, { runtime: () => runtimeOf() });
  const inner = model.encoding?.model ?? model;
  return {
    score: async (rows, output) => {
      const data = Float64Array.from(rows.flat());
      return inner.predict({ data, rows: rows.length, cols: rows[0]!.length }, output);
    },
  };
}

function ownFormat(bytes: Uint8Array): Against | undefined {
  try {
    return flatten(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** The columns of the table as codes of the certificate's features. */
async function tableOf(given: Given, text: string): Promise<Partial<Against>> {
  if (!given.data) return {};
  const table = await readTableFile(given.data, tableOptions(given));
  const ids = given.id === undefined ? undefined : table.columns[table.names.indexOf(given.id)];
  if (given.id !== undefined && !ids)
    throw new ColaError("OPTION_INVALID", `--id: ${given.data} has no column ${JSON.stringify(given.id)}.`);
  let features: readonly Feature[] = [];
  try {
    features = JSON.parse(text).schema.features;
  } catch {
    // A damaged certificate is refused by the checker, in its words.
  }
  const columns = new Map(features.flatMap((feature) => codesOf(feature, table)));
  return { columns, ids: ids ?? Array.from({ length: table.rows }, (_, i) => i) };
}

function codesOf(feature: Feature, table: Table): [string, number[]][] {
  const cells = table.columns[table.names.indexOf(feature.name)];
  if (!cells) return [];
  const levels = levelsOf(feature);
  const code = (cell: unknown): number => {
    if (cell === null || cell === "") return Number.NaN;
    if (levels.length === 0) return Number(cell);
    const plain = levels.indexOf(String(cell).trim());
    return plain >= 0 || feature.kind !== "boolean"
      ? plain
      : ["0", "no", "1", "yes"].indexOf(String(cell)) >> 1;
  };
  return [[feature.name, cells.map(code)]];
}

/** Things taken on trust that are named one by one. */
const NAMED = 4;

function verdictText(given: Given, path: string, { accepted, rows, fault, trusted }: Verdict): string {
  const held = [given.model, given.data].filter((name) => name !== undefined).join(" and ");
  const more = trusted.length > NAMED ? `, and ${trusted.length - NAMED} more like these (--json)` : "";
  const trust =
    trusted.length === 0
      ? ""
      : paint.dim(`Taken from the certificate, not checked: ${trusted.slice(0, NAMED).join("; ")}${more}.\n`);
  if (!accepted) return `${paint.bad("✘")} ${path} is refused: ${fault}.\n${trust}`;
  return `${paint.good("✔")} ${path} holds for ${rows} ${rows === 1 ? "row" : "rows"}, checked against ${held}: each plan is permitted and reaches the target, no plan has fewer edits, and none of as many changes less.\n${trust}`;
}
