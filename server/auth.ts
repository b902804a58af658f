import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ApiKey, ServerConfig } from "./config.ts";
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

/** Names the owner of every other request, or refuses it. */
export function addAuth(app: FastifyInstance, { keys = [] }: ServerConfig): void {
  const known = keys.map((key) => ({ owner: key.owner, hash: digest(key.secret) }));
  app.decorateRequest("owner", EVERYBODY);
  app.addHook("onRequest", async (request) => {
    if (known.length === 0) {
      if (!LOCAL.test(request.headers.host ?? ""))
        throw new HttpError(
          "HOST_REFUSED",
          "A server without API keys answers under 127.0.0.1 and localhost only.",
        );
      checkOrigin(request);
      return;
    }
    if (OPEN.test(request.routeOptions.url ?? "/")) return;
    const owner = ownerOf(known, secretOf(request));
    if (owner === undefined)
      throw new HttpError("KEY_INVALID", "Send the API key as `Authorization: Bearer …` or `X-API-Key`.");
    request.owner = owner;
  });
}

function secretOf({ headers }: FastifyRequest): string {
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
  const plain = headers["x-api-key"];
  return bearer ?? (typeof plain === "string" ? plain : "");
}

/** All keys are compared, each in constant time. */
function ownerOf(
  known: readonly { readonly owner: ApiKey["owner"]; readonly hash: Buffer }[],
  secret: string,
): string | undefined {
  const given = digest(secret);
  return known.filter(({ hash }) => timingSafeEqual(hash, given)).map(({ owner }) => owner)[0];
}

declare module "fastify" {
  interface FastifyRequest {
    owner: string;
  }
}
