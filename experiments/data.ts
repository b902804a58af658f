import { existsSync } from "node:fs";
import { join } from "node:path";
import { readSetTable } from "../node/sets.ts";
import { loanSchema, loans } from "../src/data/loans.ts";
import { tableToMatrix } from "../src/data/schema.ts";
import { fillMedian, fromColumns, type PresetSet } from "../src/data/sets/contract.ts";
import { dataSet, dataSets, type PreparedSet, prepareSet } from "../src/data/sets/registry.ts";
import { takeCols } from "../src/num/matrix.ts";
import type { DataName, PresetName } from "./settings.ts";

/** The data sets that are not in the folder. */
export function missingSets(folder: string, names: readonly DataName[]): DataName[] {
  return [...new Set(names)].filter(
    (name) => name !== "loans" && !existsSync(join(folder, dataSet(name).info.file)),
  );
}

/** What to fetch and from where, for people. */
export function whatToFetch(folder: string, names: readonly DataName[]): string {
  const lines = names.map((name) => {
    const { info } = dataSets[name]!;
    return `  ${info.file}: ${info.title}; ${info.published}, ${info.address}. ${info.terms}.`;
  });
  return [
    `${lines.length} data set${lines.length > 1 ? "s are" : " is"} not in ${folder} (--data-dir or COLA_DATA names another folder):`,
    ...lines,
    "Put the files there, or: cola datasets get NAME --from ADDRESS --data-dir FOLDER (the checksum is checked).",
  ].join("\n");
}

const loaded = new Map<string, Promise<PresetSet>>();

function load(name: DataName, folder: string): Promise<PresetSet> {
  const key = `${folder}/${name}`;
  const known = loaded.get(key);
  if (known) return known;
  const fresh = name === "loans" ? Promise.resolve(embedded()) : read(name, folder);
  loaded.set(key, fresh);
  return fresh;
}

async function read(name: DataName, folder: string): Promise<PresetSet> {
  const { info, preset } = dataSet(name);
  return preset(await readSetTable(info, folder));
}

/** The embedded loan applications in the form of the experiments: codes, gaps filled, 1 = refused. */
function embedded(): PresetSet {
  const { table, labels } = loans();
  const rows = tableToMatrix(loanSchema, table);
  const names = loanSchema.features.map(({ name }) => name);
  return {
    names,
    x: fromColumns(names.map((_, k) => fillMedian(takeCols(rows, [k]).data))),
    labels: labels.map((granted) => 1 - granted),
    standardise: names.map((_, k) => k),
    groups: names.map((_, k) => [k]),
  };
}

const ready = new Map<string, Promise<PreparedSet>>();

/** A data set split and standardised as the preset says; the same object when asked again. */
export function prepared(
  name: DataName,
  folder: string,
  preset: PresetName,
  split = 0,
): Promise<PreparedSet> {
  const key = `${folder}/${name}/${preset}/${split}`;
  const fresh =
    ready.get(key) ??
    load(name, folder).then((set) => prepareSet(name === "loans" ? "german" : name, set, preset, split));
  ready.set(key, fresh);
  return fresh;
}
