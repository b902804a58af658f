import { readFileSync, statSync } from "node:fs";
import { ColaError, messageOf } from "../src/errors.ts";
import {
  type ApiKey,
  checkKeys,
  DEFAULT_LIMITS,
  parseKeys,
  type ServerConfig,
  type ServerLimits,
} from "./config.ts";

/** What a file of settings may hold: `{ "limits": { "rows": 500000 }, "keys": [{ "owner", "secret", … }], "tokens": { "host": "VARIABLE" } }`. */
interface SettingsFile {
  readonly limits?: Partial<ServerLimits>;
  readonly keys?: readonly ApiKey[];
  readonly tokens?: Readonly<Record<string, string>>;
}

const PARTS: readonly string[] = ["limits", "keys", "tokens"];

/** How often the file is looked at for other keys. */
const LOOK_MS = 1000;

/** Limits and keys from a file and the environment; variables win over the file. Keys in the file may change later. */
export function settingsFrom(
  path: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Pick<ServerConfig, "limits" | "keys" | "tokens" | "proxies"> {
  const file = path === undefined ? {} : readSettings(path);
  const tokens = checkTokens(file.tokens ?? {}, env);
  const limits = checkLimits({ ...file.limits, ...limitsOf(env) });
  const own = parseKeys(env["COLA_API_KEYS"] ?? "");
  const proxies = (env["COLA_PROXIES"] ?? "").split(",").flatMap((name) => name.trim() || []);
  if (path === undefined || file.keys === undefined) return { limits, keys: own, tokens, proxies };
  return { limits, keys: changing(path, file.keys, own), tokens, proxies };
}

/** `COLA_LIMIT_ROWS_JOB=500000` is the limit rowsJob. */
function limitsOf(env: Readonly<Record<string, string | undefined>>): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [name, value] of Object.entries(env)) {
    const words = /^COLA_LIMIT_(\w+)$/.exec(name)?.[1]?.toLowerCase().split("_");
    if (!words) continue;
    found[words.map((word, k) => (k === 0 ? word : word[0]?.toUpperCase() + word.slice(1))).join("")] =
      Number(value);
  }
  return found;
}

function checkLimits(limits: Readonly<Record<string, unknown>>): Partial<ServerLimits> {
  for (const [name, value] of Object.entries(limits)) {
    const known = Object.hasOwn(DEFAULT_LIMITS, name);
    if (known && typeof value === "number" && Number.isSafeInteger(value) && value >= 0) continue;
    throw new ColaError(
      "OPTION_INVALID",
      known
        ? `serve: the limit ${name} is ${JSON.stringify(value)}; give a whole number of at least 0.`
        : `serve: there is no limit ${name}; known are ${Object.keys(DEFAULT_LIMITS).join(", ")}.`,
      { name },
    );
  }
  return limits as Partial<ServerLimits>;
}

/** Each names a variable that is set: a token that is missing is told at the start, not by the first job. */
function checkTokens(
  tokens: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  for (const [host, name] of Object.entries(tokens)) {
    if (typeof name === "string" && env[name]) continue;
    throw new ColaError(
      "OPTION_INVALID",
      `serve: the token of ${host} is that of the environment variable ${JSON.stringify(name)}, which is not set; export it, or take the host out.`,
      { host },
    );
  }
  return tokens as Readonly<Record<string, string>>;
}

function readSettings(path: string): SettingsFile {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new ColaError(
      "FILE_UNREADABLE",
      `serve: ${path} cannot be read as JSON: ${messageOf(error).slice(0, 200)}`,
      { path },
    );
  }
  const unknown = Object.keys((value ?? {}) as object).find((key) => !PARTS.includes(key));
  if (typeof value !== "object" || value === null || Array.isArray(value) || unknown !== undefined)
    throw new ColaError(
      "OPTION_INVALID",
      `serve: ${path} must be an object with limits, keys and tokens${unknown === undefined ? "" : `, not ${unknown}`}.`,
      { path },
    );
  const file = value as SettingsFile;
  checkKeys(file.keys ?? []);
  return file;
}

/** The keys of the file as it is now; while it cannot be read, those it had. */
function changing(path: string, first: readonly ApiKey[], own: readonly ApiKey[]): () => readonly ApiKey[] {
  let [keys, looked, changed] = [[...first, ...own], performance.now(), statSync(path).mtimeMs];
  return () => {
    if (performance.now() - looked > LOOK_MS) {
      looked = performance.now();
      const now = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? changed;
      if (now !== changed) {
        try {
          keys = [...(readSettings(path).keys ?? []), ...own];
          changed = now;
        } catch {
          // Being written, or wrong: asked again soon.
        }
      }
    }
    return keys;
  };
}
