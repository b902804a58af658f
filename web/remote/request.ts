import type { EncodingSpec } from "../../src/data/binding.ts";
import type { Overlay } from "../../src/data/overlay.ts";
import type { Feature, Schema } from "../../src/types.ts";
import type { DataInfo } from "../engine/protocol.ts";
import { missingTexts } from "../engine/roles.ts";
import { type Choices, type FeatureEdits, moreOf, overlayOf } from "../settings.ts";

/** The body of `POST /v1/jobs`. */
export interface JobRequest {
  readonly data: { readonly embedded: true } | { readonly id: string };
  readonly model: { readonly train: string } | { readonly id: string; readonly encoding?: EncodingSpec };
  readonly counterfactuals?: { readonly id: string };
  readonly schema?: Schema;
  readonly constraints: Overlay;
  readonly options: Readonly<Record<string, unknown>>;
}

interface Parts {
  readonly data: DataInfo;
  readonly edits: FeatureEdits;
  readonly rules?: readonly string[];
  readonly encoding?: EncodingSpec | null;
  readonly choices: Choices;
  /** Ids of the uploads; none for the embedded table, a model that is trained, counterfactuals that are generated. */
  readonly dataId?: string;
  readonly modelId?: string;
  readonly counterfactualsId?: string;
}

/** The run of the page in the words of the server. */
export function requestOf(parts: Parts): JobRequest {
  const { data, edits, rules = [], encoding, choices, dataId, modelId, counterfactualsId } = parts;
  const { target, generator, coupling, policy, goal, effect, rows, perRow, seed, model, alternatives, more } =
    choices;
  const lifted = Object.values(edits).some((edit) => Object.values(edit).includes(undefined));
  return {
    data: dataId ? { id: dataId } : { embedded: true },
    model: modelId ? { id: modelId, ...(encoding ? { encoding } : {}) } : { train: model },
    ...(counterfactualsId ? { counterfactuals: { id: counterfactualsId } } : {}),
    ...(data.kinds || lifted ? { schema: withoutLifted(data.schema, edits) } : {}),
    constraints: overlayOf(edits, rules),
    options: {
      ...(counterfactualsId ? {} : { generator }),
      rows,
      seed,
      ...(dataId && data.label ? { label: data.label } : {}),
      ...(dataId && data.id ? { id: data.id } : {}),
      ...(dataId && data.exclude ? { exclude: data.exclude } : {}),
      ...(dataId && data.decimalComma ? { decimalComma: true } : {}),
      ...(dataId && data.missing ? { missing: missingTexts(data.missing) } : {}),
      ...(dataId && data.dateParts ? { dateParts: data.dateParts } : {}),
      ...(target.trim() ? { target: target.trim() } : {}),
      ...(coupling ? { coupling } : {}),
      ...(policy ? { policy } : {}),
      ...(alternatives > 0 ? { alternatives } : {}),
      ...(goal === "group" ? { effect } : {}),
      ...(perRow === null ? {} : { perRow }),
      ...moreOf(more),
    },
  };
}

/** A limit that was taken away is not a field in JSON, so it must not be in the schema either. */
function withoutLifted(schema: Schema, edits: FeatureEdits): Schema {
  const features = schema.features.map((feature) => {
    const gone = Object.entries(edits[feature.name] ?? {}).filter(([, value]) => value === undefined);
    const kept = Object.entries(feature).filter(([field]) => !gone.some(([name]) => name === field));
    return Object.fromEntries(kept) as unknown as Feature;
  });
  return { ...schema, features };
}
