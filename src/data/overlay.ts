import { ColaError } from "../errors.ts";
import type { Feature, Schema } from "../types.ts";
import { checkSchema, featureIndex } from "./schema.ts";

/** Constraints kept apart from the schema: fields of features by name, and more rules. */
export interface Overlay {
  readonly features?: Readonly<Record<string, Partial<Omit<Feature, "name" | "kind">>>>;
  readonly rules?: readonly string[];
  /** Features that must not change. */
  readonly freeze?: readonly string[];
  /** The only features that may change. */
  readonly vary?: readonly string[];
}

/** The schema with constraints laid over it; names that are not features are refused. */
export function withConstraints(schema: Schema, overlay: Overlay): Schema {
  const { features = {}, rules = [], freeze = [], vary } = overlay;
  for (const name of [...Object.keys(features), ...freeze, ...(vary ?? [])])
    featureIndex(schema, name, "constraints");
  const both = vary?.find((name) => freeze.includes(name));
  if (both !== undefined) {
    throw new ColaError(
      "CONSTRAINT_INVALID",
      `constraints: ${both} is both frozen and named as one that may vary; name it in one of the two.`,
      {
        feature: both,
      },
    );
  }
  const locked = (name: string): boolean =>
    freeze.includes(name) || (vary !== undefined && !vary.includes(name));
  const laid = schema.features.map((feature) => ({
    ...feature,
    ...(Object.hasOwn(features, feature.name) ? features[feature.name] : {}),
    ...(locked(feature.name) ? { immutable: true } : vary ? { immutable: false } : {}),
  }));
  const all = [...(schema.rules ?? []), ...rules];
  const result = { features: laid, ...(all.length > 0 ? { rules: all } : {}) };
  checkSchema(result);
  return result;
}
