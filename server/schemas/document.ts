/** Kinds of files an upload may say it is. */
export const FILE_TYPES = [
  "text/csv",
  "text/tab-separated-values",
  "text/plain",
  "application/x-ndjson",
  "application/octet-stream",
  "application/vnd.apache.parquet",
  "application/vnd.apache.arrow.file",
];

interface Response {
  readonly description?: string;
  readonly headers?: object;
  readonly content?: Readonly<Record<string, object>>;
}

interface Operation {
  readonly operationId?: string;
  readonly parameters?: readonly object[];
  readonly responses?: Readonly<Record<string, Response>>;
}

interface Document {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>> | undefined>>;
}

const BYTES = { schema: { type: "string", format: "binary" } };
const OBJECT = { schema: { type: "object" } };
const text = (description: string): object => ({ description, schema: { type: "string" } });

/** Answers that are not JSON. */
const MEDIA: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\/events$/, ["text/event-stream"]],
  [/\/report$/, ["text/html"]],
  [/\/letter$/, ["text/html", "text/plain"]],
  [/\/card$/, ["text/html", "text/markdown", "application/json"]],
  [/\/file$/, ["application/octet-stream"]],
  [/^\/metrics$/, ["text/plain"]],
];

const IDEMPOTENCY = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "makes the request safe to repeat: the first answer comes back",
  schema: { type: "string", minLength: 1, maxLength: 200 },
};

const HEADERS: readonly (readonly [RegExp, string, string, string])[] = [
  [/^post \/v1\/explanations$/, "200", "Explanation-Id", "the id under which the explanation is kept"],
  [/^get \/v1\/explanations\/\{id\}$/, "200", "Explanation-Id", "the id of the explanation"],
  [/^get \/v1\/jobs\/\{id\}\/result$/, "200", "Explanation-Id", "the id of the explanation"],
  [/^post \/v1\/jobs$/, "202", "Location", "the address of the job"],
];

/** Refusals after which asking again later makes sense. */
const LATER = new Set(["409", "429", "503", "507"]);

/** The document with what the schemas of the routes do not say: media types, uploads, headers, names, keys. */
export function completed<D extends object>(document: D, keyed: boolean): D {
  const paths = Object.entries((document as Document).paths ?? {}).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations ?? {}).map(([method, operation]) => [
        method,
        complete(path, method, operation, keyed),
      ]),
    ),
  ]);
  return { ...document, paths: Object.fromEntries(paths) };
}

function complete(path: string, method: string, operation: Operation, keyed: boolean): object {
  const called = `${method} ${path}`;
  const responses = Object.entries(operation.responses ?? {}).map(([status, response]) => [
    status,
    answer(called, path, status, response),
  ]);
  const open = path.startsWith("/health/");
  const keys = [{ bearer: [] }, { header: [] }];
  return {
    ...operation,
    operationId: nameOf(path, method),
    security: open ? [] : keyed ? keys : [{}, ...keys],
    ...(/^post \/v1\/(explanations|jobs|models\/\{id\}:explain)$/.test(called)
      ? { parameters: [...(operation.parameters ?? []), IDEMPOTENCY] }
      : {}),
    ...(/^post \/v1\/(data|models|counterfactuals)$/.test(called)
      ? { requestBody: { required: true, content: Object.fromEntries(FILE_TYPES.map((t) => [t, BYTES])) } }
      : {}),
    responses: Object.fromEntries(responses),
  };
}

function answer(called: string, path: string, status: string, response: Response): Response {
  const schema = response.content?.["application/json"];
  const refused = Number(status) >= 400;
  const media = MEDIA.find(([pattern]) => pattern.test(path))?.[1] ?? ["application/json"];
  const types = refused ? ["application/problem+json"] : media;
  // Beside texts, data are not one of them.
  const whole = new Set(types.length > 1 ? ["application/json"] : []);
  const headers = HEADERS.filter(([pattern, of]) => pattern.test(called) && of === status).map(
    ([, , name, words]) => [name, text(words)],
  );
  if (LATER.has(status)) headers.push(["Retry-After", text("seconds after which to ask again")]);
  return {
    ...response,
    ...(schema
      ? { content: Object.fromEntries(types.map((type) => [type, whole.has(type) ? OBJECT : schema])) }
      : {}),
    ...(headers.length > 0 ? { headers: Object.fromEntries(headers) } : {}),
  };
}

/** `post /v1/jobs` is postJobs, `get /v1/jobs/{id}/events` is getJobsIdEvents. */
function nameOf(path: string, method: string): string {
  const words = path.replace(/^\/v1\//, "/").match(/\w+/g) ?? [];
  return method + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join("");
}

/** How a key is sent. */
export const securitySchemes = {
  bearer: { type: "http", scheme: "bearer" },
  header: { type: "apiKey", in: "header", name: "X-API-Key" },
} as const;
