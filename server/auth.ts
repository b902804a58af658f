import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type ApiKey, hasKeys, keysOf, type ServerConfig } from "./config.ts";
import { HttpError } from "./problem.ts";

/** Whom everything belongs to on a server without keys. */
const EVERYBODY = "local";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Addresses under which a server without keys answers: a page elsewhere cannot reach it through a name of its own. */
const LOCAL = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

const READS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * A browser tells where the page that asks comes from. Without keys nothing else tells it apart from a page of our
 * own, and whoever opens a foreign page must not have things stored or removed by it. Programs tell no origin.
 */
export function checkOrigin({
  method,
  headers,
  host,
}: Pick<FastifyRequest, "method" | "headers" | "host">): void {
  if (READS.has(method)) return;
  const { origin, "sec-fetch-site": site = "none" } = headers;
  const own = origin === undefined || /^https?:\/\/(.*)$/i.exec(origin)?.[1] === host;
  if (own && (site === "none" || site === "same-origin")) return;
  throw new HttpError("ORIGIN_REFUSED", "A server without API keys takes changes from its own page only.");
}

/** Routes that need no key: health, the description, the page. Told by the matched route, however its address is written. */
const OPEN = /^\/(health\/\w+|openapi\.json|studio\.json|\*?)$/;

/** What a read key may not, and a run key neither. */
const ERASES = /^\/v1\/(explanations|data|models|counterfactuals|constraints)\//;

/** Wrong keys from one address within a minute, after which it has to wait. */
const GUESSES = 30;
const MINUTE_MS = 60_000;

/** Names the owner of every other request, or refuses it. */
export function addAuth(app: FastifyInstance, config: ServerConfig): void {
  app.decorateRequest("owner", EVERYBODY);
  app.decorateRequest("keyed", false);
  app.decorateRequest("watches", false);
  app.decorateRequest("mayErase", true);
  const guesses = countGuesses();
  const known = hasKeys(config);
  app.addHook("onRequest", async (request) => {
    if (!known) {
      if (!LOCAL.test(request.headers.host ?? ""))
        throw new HttpError(
          "HOST_REFUSED",
          "A server without API keys answers under 127.0.0.1 and localhost only.",
        );
      checkOrigin(request);
      return;
    }
    if (OPEN.test(request.routeOptions.url ?? "/")) return;
    const from = networkOf(request.ip);
    guesses.check(from);
    const key = keyOf(keysOf(config), secretOf(request));
    if (key === undefined) {
      guesses.add(from);
      throw new HttpError("KEY_INVALID", "Send the API key as `Authorization: Bearer …` or `X-API-Key`.");
    }
    checkRole(key, request);
    request.owner = key.owner;
    request.keyed = true;
    request.watches = key.role === "watch";
    request.mayErase = (key.role ?? "admin") === "admin";
  });
}

/** A key may do what its role says; reading is everybody's. */
function checkRole({ role = "admin" }: ApiKey, { method, routeOptions }: FastifyRequest): void {
  if (role === "watch" && routeOptions.url !== "/metrics")
    throw new HttpError("ROLE_REFUSED", "A key with the role watch may only read /metrics.");
  if (role === "admin" || READS.has(method)) return;
  if (role === "run" && !(method === "DELETE" && ERASES.test(routeOptions.url ?? ""))) return;
  throw new HttpError("ROLE_REFUSED", `A key with the role ${role} may not do this.`);
}

/** Whom an address belongs to: of IPv6 everybody has a network of 2⁶⁴, named by its first four groups. */
export function networkOf(address: string): string {
  if (!address.includes(":") || address.includes(".")) return address;
  const [head = "", tail = ""] = address.split("%")[0]!.split("::");
  const [first, last] = [head, tail].map((part) => (part === "" ? [] : part.split(":")));
  const between = address.includes("::") ? 8 - first!.length - last!.length : 0;
  const groups = [...first!, ...Array.from({ length: between }, () => "0"), ...last!];
  return groups.slice(0, 4).join(":");
}

/** Addresses that are remembered. */
const MOST_ADDRESSES = 10_000;

/** Guessing makes an address wait; owners of keys at other addresses do not wait. */
function countGuesses(): { check(address: string): void; add(address: string): void } {
  const wrong = new Map<string, { count: number; until: number }>();
  return {
    check(address) {
      const seen = wrong.get(address);
      const now = performance.now();
      if (seen && seen.until < now) wrong.delete(address);
      else if (seen && seen.count >= GUESSES)
        throw new HttpError(
          "RATE_LIMITED",
          "Too many wrong keys from this address.",
          Math.ceil((seen.until - now) / 1000),
        );
    },
    add(address) {
      for (const oldest of wrong.keys()) {
        if (wrong.size < MOST_ADDRESSES) break;
        wrong.delete(oldest);
      }
      const seen = wrong.get(address) ?? { count: 0, until: performance.now() + MINUTE_MS };
      seen.count++;
      wrong.set(address, seen);
    },
  };
}

function secretOf({ headers }: FastifyRequest): string {
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
  const plain = headers["x-api-key"];
  return bearer ?? (typeof plain === "string" ? plain : "");
}

/** All keys are compared, each in constant time; expired ones do not count. */
function keyOf(keys: readonly ApiKey[], secret: string): ApiKey | undefined {
  const given = digest(secret);
  const now = Date.now();
  return keys.filter(
    (key) =>
      timingSafeEqual(digest(key.secret), given) &&
      (key.expires === undefined || Date.parse(key.expires) > now),
  )[0];
}

declare module "fastify" {
  interface FastifyRequest {
    owner: string;
    /** It came with a key that is known. */
    keyed: boolean;
    /** That key watches all owners. */
    watches: boolean;
    /** Whoever asks may also remove what was made. */
    mayErase: boolean;
  }
}
