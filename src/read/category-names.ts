import { parseJson } from "./json-limits.ts";
import type { Part } from "./part.ts";

/** Per column the names of its categories in the order of their codes; undefined where the file has none. */
export type CategoryNames = readonly (readonly string[] | undefined)[];

/**
 * The names in an XGBoost file (3.1 and later): of each column texts, as bytes that `offsets` cut, or whole numbers.
 * Names beyond ASCII are ignored: the package counts letters but cuts bytes, so it cuts them in the wrong places.
 */
export function xgboostCategories(booster: Part, cols: number): CategoryNames | undefined {
  const model = booster.has("gbtree") ? booster.at("gbtree").at("model") : booster.at("model");
  if (!model.has("cats")) return undefined;
  const enc = model.at("cats").at("enc");
  const columns = enc.items();
  if (columns.length === 0) return undefined;
  if (columns.length !== cols)
    throw enc.error(`names the categories of ${columns.length} columns of ${cols}`);
  const decoder = new TextDecoder();
  return columns.map((column) => {
    const values = column.at("values").numbers();
    if (values.length === 0) return undefined;
    if (!column.has("offsets")) return Array.from(values, String);
    if (values.some((byte) => byte < 0 || byte > 127)) return undefined;
    const ends = column.at("offsets").wholes(0, values.length);
    const bytes = Uint8Array.from(values);
    return Array.from(ends.subarray(1), (end, k) => decoder.decode(bytes.subarray(ends[k]!, end)));
  });
}

/**
 * The names in a LightGBM file, which lists those of all columns of categories of the data frame, in order, but not
 * whose they are: they are taken where the file declares as many columns to be categories.
 */
export function lightgbmCategories(
  owner: string,
  text: string,
  categorical: readonly boolean[] | undefined,
): CategoryNames | undefined {
  const written = /^pandas_categorical:(\[.*\])\s*$/m.exec(text)?.[1];
  if (written === undefined) return undefined;
  const lists = parseJson(owner, written) as readonly unknown[];
  const declared = /^\[categorical_feature: ([\d,]+)\]/m.exec(text)?.[1]?.split(",").map(Number);
  const columns = declared ?? categorical?.flatMap((is, k) => (is ? [k] : [])) ?? [];
  if (lists.length === 0 || lists.length !== columns.length) return undefined;
  const names: (readonly string[] | undefined)[] = [];
  columns
    .sort((a, b) => a - b)
    .forEach((column, k) => {
      const list = lists[k];
      names[column] = Array.isArray(list) ? list.map(String) : undefined;
    });
  return Array.from({ length: categorical?.length ?? names.length }, (_, k) => names[k]);
}

/** Names as they were saved. */
export const savedCategories = (at: Part): CategoryNames | undefined =>
  at.has("categoryNames")
    ? at
        .at("categoryNames")
        .items()
        .map((one) => (one.value === null ? undefined : one.texts()))
    : undefined;

/** Names as they are saved. */
export const keptCategories = (names: CategoryNames | undefined): object =>
  names ? { categoryNames: names.map((one) => one ?? null) } : {};
