import { ColaError } from "../src/errors.ts";

/** What a key may do: only watch the figures of all, look, also have things made and stopped, also erase. */
export type Role = "watch" | "read" | "run" | "admin";

/** Who may call: a name (jobs and uploads belong to it) and its secret. One name may have several keys. */
export interface ApiKey {
  readonly owner: string;
  readonly secret: string;
  /** Default: admin. */
  readonly role?: Role;
  /** When it ends, as 2027-01-31 or a whole time. Default: never. */
  readonly expires?: string;
}

/** Limits of one server; every request is held against them. */
export interface ServerLimits {
  /** Bytes of a JSON body. */
  readonly bodyBytes: number;
  /** Bytes of an uploaded file, and of all uploads of one owner. */
  readonly uploadBytes: number;
  readonly ownerBytes: number;
  /** Bytes that must be free on the disk before anything is stored. */
  readonly freeBytes: number;
  readonly rows: number;
  readonly columns: number;
  /** Rows one request explains: answered at once, or as a job. */
  readonly rowsNow: number;
  readonly rowsJob: number;
  /** Wall clock of work answered at once, and of a job. */
  readonly timeNowMs: number;
  readonly timeJobMs: number;
  /** Pieces of work answered at once that run together, one owner's all but one of them, and that may wait. */
  readonly running: number;
  readonly waiting: number;
  /** Mebibytes of objects and buffers one piece of work may hold. */
  readonly memoryMb: number;
  /** Jobs that run together, and that one owner may have open. */
  readonly jobs: number;
  readonly openJobs: number;
  /** Rows of one shard: a job of more is cut, and its shards are worked off wherever somebody is free. */
  readonly shardRows: number;
  /** How often a job is begun again after a crash. */
  readonly attempts: number;
  /** Open connections; fewer where the process may not have so many files open. */
  readonly connections: number;
  /** How long a request may take to come whole. */
  readonly readMs: number;
  /** Requests admitted at once, and the bytes of their bodies. */
  readonly requests: number;
  readonly requestBytes: number;
  /** Requests of one key per minute. */
  readonly perMinute: number;
  /** Open event streams. */
  readonly streams: number;
  /** How long a stop waits for running jobs before they go back into the line. */
  readonly graceMs: number;
}

export const DEFAULT_LIMITS: ServerLimits = {
  bodyBytes: 2 ** 24,
  uploadBytes: 2 ** 26,
  ownerBytes: 2 ** 31,
  freeBytes: 2 ** 28,
  rows: 200_000,
  columns: 1000,
  rowsNow: 200,
  rowsJob: 100_000,
  timeNowMs: 20_000,
  timeJobMs: 1_800_000,
  running: 2,
  waiting: 256,
  memoryMb: 2048,
  jobs: 2,
  openJobs: 1000,
  shardRows: 1000,
  attempts: 5,
  connections: 10_000,
  readMs: 60_000,
  requests: 512,
  requestBytes: 2 ** 28,
  perMinute: 600,
  streams: 200,
  graceMs: 5000,
};

export interface ServerConfig {
  /** Folder of the embedded store. Default: cola-store. */
  readonly folder?: string;
  /** Address of a PostgreSQL server instead; any number of servers and workers may share it. */
  readonly database?: string;
  /** With a PostgreSQL server: a folder for files that all machines share. Default: in the database. */
  readonly blobs?: string;
  /** PEM of the Ed25519 key that signs the audit trail. Default: it is not signed. */
  readonly auditKey?: string;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** None: whoever reaches the loopback address may call. A function is asked for every request: keys can change. */
  readonly keys?: readonly ApiKey[] | (() => readonly ApiKey[]);
  readonly limits?: Partial<ServerLimits>;
  /** Addresses of the proxies before it, which are believed about the client's address: `10.0.0.0/8`, `loopback`, `uniquelocal`. Default: none. */
  readonly proxies?: readonly string[];
  /** Hosts whose HTTP models may be called, as `host` or `host:port`. Default: none. */
  readonly allowHosts?: readonly string[];
  /** Names of the environment variables with the bearer tokens of HTTP models, by host; a recipe never holds a token. */
  readonly tokens?: Readonly<Record<string, string>>;
  /** Days after which explanations, ended jobs and unused uploads are forgotten. Default: never. */
  readonly keepDays?: number;
  /** Folder with the page. */
  readonly page?: string;
  /** Where log lines (JSON) go. Default: nowhere. */
  readonly log?: { write(line: string): void };
}

const LOOPBACK = new Set(["127.0.0.1", "::1", "localhost"]);

/** Other machines can only come in with a key: an open server on a network is refused before it listens. */
export function checkConfig(config: ServerConfig): void {
  const { host = "127.0.0.1", keepDays = 1 } = config;
  const keys = keysOf(config);
  if (!(keepDays >= 1))
    throw new ColaError("OPTION_INVALID", `serve: keepDays is ${keepDays}; give at least one day.`, {
      keepDays,
    });
  if (!LOOPBACK.has(host) && keys.length === 0) {
    throw new ColaError(
      "OPTION_INVALID",
      `serve: ${host} can be reached from other machines, so it needs API keys; set COLA_API_KEYS=name:secret or stay on 127.0.0.1.`,
      { host },
    );
  }
  checkKeys(keys);
  checkProxies(config.proxies ?? []);
}

function checkProxies(proxies: readonly string[]): void {
  const wrong = proxies.find(
    (name) => !/^(loopback|linklocal|uniquelocal|[\d.]+(\/\d+)?|[\da-f:]+(\/\d+)?)$/i.test(name),
  );
  if (wrong === undefined) return;
  throw new ColaError(
    "OPTION_INVALID",
    `serve: ${JSON.stringify(wrong)} in COLA_PROXIES is not an address; give addresses or ranges as 10.0.0.0/8, or loopback, linklocal, uniquelocal.`,
    { proxy: wrong },
  );
}

/** The keys of now. */
export function keysOf({ keys = [] }: Pick<ServerConfig, "keys">): readonly ApiKey[] {
  return typeof keys === "function" ? keys() : keys;
}

/** Does the server tell callers by their keys? A function of keys may have none for now. */
export function hasKeys({ keys = [] }: Pick<ServerConfig, "keys">): boolean {
  return typeof keys === "function" || keys.length > 0;
}

const ROLES: readonly string[] = ["watch", "read", "run", "admin"];

export function checkKeys(keys: readonly ApiKey[]): void {
  for (const { owner, secret, role = "admin", expires } of keys) {
    const named = /^[\w.-]{1,64}$/.test(owner) && secret.length >= 16;
    if (named && ROLES.includes(role) && (expires === undefined || Number.isFinite(Date.parse(expires))))
      continue;
    throw new ColaError(
      "OPTION_INVALID",
      `serve: the API key of ${JSON.stringify(owner)} needs a name of letters, digits, _ . - and a secret of at least 16 characters; its role is one of ${ROLES.join(", ")} and expires is a date.`,
      { owner },
    );
  }
}

/** Keys as an environment variable holds them: `name:secret,name:secret`. */
export function parseKeys(text: string): ApiKey[] {
  const parts = text.split(",").filter((part) => part.trim() !== "");
  return parts.map((part) => {
    const at = part.indexOf(":");
    return { owner: part.slice(0, Math.max(0, at)).trim(), secret: part.slice(at + 1).trim() };
  });
}
