import { z } from "zod";

const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string().describe("stable; see the list of errors"),
    detail: z.string(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .describe("an RFC 9457 problem");

/** What a job was asked for: its inputs by digest, as they are called among the uploads. */
const jobAbout = z.object({
  data: z.string().nullable().describe("SHA-256 of the table; null is the embedded one"),
  model: z.object({
    train: z.string().optional().describe("the classifier trained on the table"),
    file: z.string().optional().describe("SHA-256 of the model's file"),
    url: z.string().optional().describe("the HTTP model"),
  }),
  counterfactuals: z.string().optional().describe("SHA-256 of counterfactuals of one's own"),
  calibration: z.string().optional().describe("SHA-256 of the table that calibrates the model"),
  options: z.looseObject({}).describe("as they were asked for"),
});

export const jobAnswer = z.object({
  id: z.uuid(),
  about: jobAbout,
  state: z.enum(["queued", "running", "done", "failed", "cancelled"]),
  attempt: z.int(),
  progress: z.object({ stage: z.string(), done: z.number(), total: z.number() }).nullable(),
  error: problem.nullable(),
  createdAt: z.string(),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
  links: z.object({ self: z.string(), events: z.string(), result: z.string() }),
});

export const jobList = z.object({
  jobs: z.array(jobAnswer.extend({ about: jobAbout.omit({ options: true }) })),
  next: z.uuid().nullable().describe("`before` of the next page; null: there is none"),
});

/** An explanation is sent as the bytes it is kept as, so this only describes it. */
export const explanation = z
  .looseObject({
    schemaVersion: z.literal([1, 2]),
    seed: z.number(),
    runHash: z.string(),
    rows: z.array(z.looseObject({ row: z.int(), status: z.string(), edits: z.array(z.looseObject({})) })),
  })
  .describe("the explanation; its id is in the header Explanation-Id");

export const resourceName = z.object({
  id: z.string(),
  kind: z.enum(["data", "model", "constraints", "counterfactuals"]),
  name: z.string(),
  sha256: z.string(),
  bytes: z.int(),
  createdAt: z.string(),
});

export const resourceAnswer = resourceName.extend({
  about: z.looseObject({}).describe("what was found in it"),
});

const next = z.string().nullable().describe("`before` of the next page; null: there is none");

export const resourceList = z.object({ items: z.array(resourceName), next });

/** Every refusal is a problem. */
export const refusals = Object.fromEntries(
  [400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 431, 500, 501, 502, 503, 504, 507].map((status) => [
    status,
    problem,
  ]),
);
