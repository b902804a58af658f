import { z } from "zod";
import { models } from "../../src/train/registry.ts";
import type { Cell } from "../../src/types.ts";
import { requestOptions } from "./options.ts";
import { Packed } from "./packed.ts";

const name = z.string().min(1).max(1000);
const values = z.array(z.union([z.number(), name])).max(10_000);
/** Only described here: `checkBody` looks at rows by hand, for a schema would take seconds over a large table. */
export const rows = z
  .any()
  .refine((value) => Array.isArray(value) || value instanceof Packed, "must be a list of rows")
  .meta({
    type: "array",
    minItems: 1,
    items: { type: "object", additionalProperties: { type: ["string", "number", "boolean", "null"] } },
  }) as unknown as z.ZodType<readonly Readonly<Record<string, Cell>>[] | Packed>;
/** A table as text; one of a large body is bytes already. */
const csv = z
  .any()
  .refine(
    (value) => value instanceof Packed || (typeof value === "string" && value !== ""),
    "must be CSV text",
  )
  .meta({ type: "string", minLength: 1 }) as unknown as z.ZodType<string | Packed>;

const limits = {
  label: name,
  unit: name,
  immutable: z.boolean(),
  min: z.number(),
  max: z.number(),
  step: z.number(),
  allowed: values,
  direction: z.enum(["up", "down"]),
  transitions: z.record(z.string(), z.array(name).max(10_000)),
  editMissing: z.boolean(),
  missing: z.array(z.number()),
  cost: z.number(),
  tolerance: z.number(),
  derived: name,
};

interface Range {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** A range without a value would only fail once the work has begun. */
const hasValues = ({ min, max }: Range): boolean => min === undefined || max === undefined || min <= max;
const EMPTY_RANGE = { message: "min is above max: no value is left", path: ["min"] };

const feature = z
  .strictObject({
    name,
    kind: z.enum(["numeric", "integer", "ordinal", "categorical", "boolean"]),
    categories: z.array(z.string().max(1000)).max(100_000).optional(),
    ...z.object(limits).partial().shape,
  })
  .refine(hasValues, EMPTY_RANGE)
  .describe("one column with its kind and constraints");

const schema = z
  .strictObject({ features: z.array(feature).min(1).max(10_000), rules: z.array(name).max(1000).optional() })
  .describe("kinds and constraints of the columns; default: inferred");

/** Constraints kept apart from the schema. */
export const overlay = z
  .strictObject({
    features: z
      .record(
        z.string(),
        z
          .strictObject({ ...z.object(limits).partial().shape, categories: z.array(name).optional() })
          .refine(hasValues, EMPTY_RANGE),
      )
      .optional(),
    rules: z.array(name).max(1000).optional(),
    freeze: z.array(name).max(10_000).optional(),
    vary: z.array(name).max(10_000).optional(),
  })
  .describe(
    "constraints laid over the schema: by feature, rules over whole rows, features to freeze or to vary",
  );

const id = z.string().regex(/^(data|model|constraints|counterfactuals)_[0-9a-f]{32}$/);

const encoding = z
  .strictObject({
    inputs: z
      .array(
        z.strictObject({
          feature: name,
          level: name.optional(),
          codes: z.record(z.string(), z.number()).optional(),
          mean: z.number().optional(),
          scale: z.number().optional(),
          missing: z.number().optional(),
        }),
      )
      .max(100_000),
  })
  .describe("how the table becomes the model's inputs");

export const explanationRequest = z
  .strictObject({
    data: z
      .union([
        z.strictObject({ embedded: z.literal(true) }),
        z.strictObject({ id }),
        z.strictObject({ rows }),
        z.strictObject({ csv }),
      ])
      .default({ embedded: true })
      .describe(
        "the table: the embedded loan applications, an uploaded data set, rows as objects, or CSV text",
      ),
    factuals: rows
      .optional()
      .describe("rows to explain; default: the first rows of the table that miss the target"),
    counterfactuals: z
      .union([z.strictObject({ id }), z.strictObject({ rows }), z.strictObject({ csv })])
      .optional()
      .describe(
        "counterfactuals of your own instead of a generator's: an upload, rows as objects, or CSV text; where an upload says for whom its rows were made, the first of these people are explained",
      ),
    model: z
      .union([
        z.strictObject({ train: z.enum(Object.keys(models) as [string, ...string[]]) }),
        z.strictObject({ id, encoding: encoding.optional() }),
        z.strictObject({
          url: z.string().max(2000),
          protocol: z.enum(["json", "kserve-v1", "kserve-v2", "mlflow"]).default("json"),
          modelName: name.optional(),
          encoding: encoding.optional(),
        }),
      ])
      .default({ train: "logistic" })
      .describe("a classifier to train on the table, an uploaded model, or an HTTP model on an allowed host"),
    calibration: z
      .array(z.tuple([z.number(), z.number()]))
      .min(2)
      .max(1000)
      .optional()
      .describe(
        "monotone table from the model's score to a probability; targets and scores are then probabilities",
      ),
    schema: schema.optional(),
    constraints: z.union([z.strictObject({ id }), overlay]).optional(),
    options: requestOptions.prefault({}),
  })
  .describe("what to explain and how");

export type ExplanationRequest = z.output<typeof explanationRequest>;
