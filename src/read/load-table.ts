import { bindInputs, type EncodingSpec } from "../data/binding.ts";
import { bind, type EncodeRule, groupsOf } from "../data/encode.ts";
import { hasLevels, levelsOf } from "../data/schema.ts";
import { ColaError, isColaError, messageOf } from "../errors.ts";
import type { Saved } from "../model/saved.ts";
import type { Model, Schema } from "../types.ts";

type Load = (saved: unknown) => Model;

/** A model saved by `bind`: the model within and the encoder that feeds it. */
export function loadEncoded(saved: Saved, json: unknown, load: Load): Model {
  const { model, encoder } = json as { model: unknown; encoder: { schema: Schema } };
  const at = saved.child("encoder");
  const names = at.texts("names", 1);
  const chosen = at.child("options");
  const options = {
    numeric: chosen.choice("numeric", ["standard", "raw"]),
    categorical: chosen.choice("categorical", ["onehot", "code"]),
    missing: chosen.choice("missing", ["indicator", "keep"]),
  };
  const rules = at.children("rules").map((rule) => ruleOf(rule, names.length, options.missing === "keep"));
  return distrusted(() => {
    const { schema } = encoder;
    at.check(fits(schema, rules, names.length), "does not fit its schema");
    return bind(load(model), { schema, options, rules, names, groups: groupsOf(rules) });
  });
}

function ruleOf(rule: Saved, cols: number, keep: boolean): EncodeRule {
  return {
    kind: rule.choice("kind", ["number", "onehot"]),
    start: rule.whole("start", 0, cols - 1),
    width: rule.whole("width", 1, cols),
    columns: [...rule.numbers("columns")],
    shift: rule.number("shift"),
    scale: rule.number("scale"),
    fill: keep ? Number.NaN : rule.number("fill"),
    indicator: rule.whole("indicator", -1, cols - 1),
  };
}

/** Rules follow one another, one per feature, and fill the encoded columns. */
function fits({ features }: Schema, rules: readonly EncodeRule[], cols: number): boolean {
  let at = 0;
  const each = rules.every((rule, k) => {
    const feature = features[k];
    if (!feature || rule.start !== at) return false;
    at += rule.width + (rule.indicator >= 0 ? 1 : 0);
    const levels = rule.kind === "onehot" ? (hasLevels(feature) ? levelsOf(feature).length : -1) : 0;
    const used = rule.columns.filter((column) => column !== -1);
    const width = rule.kind === "onehot" ? used.length : 1;
    const inOrder = used.every((column, t) => column === t);
    const own = rule.columns.length === levels && inOrder && rule.width === width;
    return own && (rule.indicator < 0 || rule.indicator === at - 1);
  });
  return each && rules.length === features.length && at === cols;
}

/** A model saved by `bindInputs`: the model within, the table's schema and the encoding file. */
export function loadBound(json: unknown, load: Load): Model {
  const { model, schema, spec } = json as { model: unknown; schema: Schema; spec?: EncodingSpec };
  return distrusted(() => bindInputs(load(model), schema, spec, undefined, true));
}

/** Whatever a schema or spec of the wrong make breaks, the file is to blame. */
function distrusted(open: () => Model): Model {
  try {
    return open();
  } catch (error) {
    if (isColaError(error) && error.code === "MODEL_FILE_INVALID") throw error;
    throw new ColaError(
      "MODEL_FILE_INVALID",
      `saved model: its schema or encoding is damaged (${messageOf(error)}); save the model again.`,
      {},
      error,
    );
  }
}
