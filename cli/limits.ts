import type { ReadModelOptions } from "../node/model/file.ts";
import type { ReadTableFileOptions } from "../node/tables.ts";
import type { Given, OptionName } from "./options.ts";

/** How tables are read: what they may measure and which texts are missing values. */
export function tableOptions(given: Given): ReadTableFileOptions {
  return {
    ...only(given, "maxBytes", "maxRows", "maxColumns", "maxCell", "decimalComma"),
    ...(given.missing ? { missing: ["", ...given.missing] } : {}),
  };
}

/** What a model file may measure. */
export function modelLimits(given: Given): Pick<ReadModelOptions, "maxBytes" | "maxNodes" | "maxElements"> {
  return only(given, "maxBytes", "maxNodes", "maxElements");
}

/** How a model outside is called, as far as the options say. */
export function callLimits({ modelTimeout, modelBatch, modelRetries }: Given): {
  readonly timeoutMs?: number;
  readonly batchRows?: number;
  readonly retries?: number;
  readonly restarts?: number;
} {
  return {
    ...(modelTimeout === undefined ? {} : { timeoutMs: Math.ceil(modelTimeout * 1000) }),
    ...(modelBatch === undefined ? {} : { batchRows: modelBatch }),
    ...(modelRetries === undefined ? {} : { retries: modelRetries, restarts: modelRetries }),
  };
}

/** The named options as far as they are given. */
function only<Name extends OptionName>(given: Given, ...names: readonly Name[]): Pick<Given, Name> {
  const there = names.filter((name) => given[name] !== undefined);
  return Object.fromEntries(there.map((name) => [name, given[name]])) as Pick<Given, Name>;
}
