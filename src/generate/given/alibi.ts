import { ColaError } from "../../errors.ts";
import type { Cell } from "../../types.ts";
import { type PyValue, readPython } from "./python-json.ts";

/** What an Alibi explanation holds: counterfactual rows, and the factual rows where it has them. */
interface AlibiRows {
  readonly explainer: string;
  readonly factuals: readonly (readonly Cell[])[] | undefined;
  /** Counterfactuals of each factual row, in order; none where Alibi found none. */
  readonly counterfactuals: readonly (readonly (readonly Cell[])[])[];
}

type PyMap = ReadonlyMap<string, PyValue>;

function wrong(rule: string, remedy: string): ColaError {
  return new ColaError("TABLE_INVALID", `alibi: ${rule}; ${remedy}.`);
}

/**
 * Reads `Explanation.to_json()` of Alibi: CounterfactualRL (orig.X and cf.X), Counterfactual and
 * CounterfactualProto (cf.X, null when none was found) and CEM (PN, X).
 */
export function readAlibi(text: string): AlibiRows {
  const file = readPython(text, "alibi");
  const meta = file instanceof Map ? (file as PyMap).get("meta") : undefined;
  const data = file instanceof Map ? (file as PyMap).get("data") : undefined;
  if (!(data instanceof Map)) throw wrong('the file has no "data"', "give what Explanation.to_json() wrote");
  const name = meta instanceof Map ? (meta as PyMap).get("name") : undefined;
  const explainer = typeof name === "string" ? name : "unknown";
  const values = data as PyMap;
  const found = values.get("cf");
  const orig = values.get("orig");
  if (values.has("PN")) {
    return {
      explainer,
      factuals: maybe(values.get("X"), "X"),
      counterfactuals: [maybe(values.get("PN"), "PN") ?? []],
    };
  }
  if (found === undefined) {
    throw wrong(
      `the explanation of ${explainer} has neither "cf" nor "PN"`,
      "only counterfactual explanations can be read",
    );
  }
  const rows = found instanceof Map ? rowsOf((found as PyMap).get("X") ?? null, "cf.X") : [];
  if (!(orig instanceof Map)) return { explainer, factuals: undefined, counterfactuals: [rows] };
  const factuals = rowsOf((orig as PyMap).get("X") ?? null, "orig.X");
  if (factuals.length === 1) return { explainer, factuals, counterfactuals: [rows] };
  if (factuals.length !== rows.length) {
    throw wrong(
      `orig.X has ${factuals.length} rows and cf.X ${rows.length}`,
      "they must be as many, or one original row with several counterfactuals",
    );
  }
  return { explainer, factuals, counterfactuals: rows.map((row) => [row]) };
}

const maybe = (value: PyValue | undefined, what: string): Cell[][] | undefined =>
  value === undefined || value === null ? undefined : rowsOf(value, what);

function rowsOf(value: PyValue, what: string): Cell[][] {
  if (!Array.isArray(value))
    throw wrong(`${what} is not a list of rows`, "give what Explanation.to_json() wrote");
  const rows = value.every((item) => Array.isArray(item)) ? (value as PyValue[][]) : [value as PyValue[]];
  return rows.map((row, i) =>
    row.map((cell): Cell => {
      if (typeof cell === "bigint") return Number(cell);
      if (cell === null || typeof cell !== "object") return cell;
      throw wrong(`row ${i} of ${what} is not a flat row`, "only tables can be read, not images or texts");
    }),
  );
}
