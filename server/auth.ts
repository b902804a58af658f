import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ApiKey, ServerConfig } from "./config.ts";
import { HttpError } from "./problem.ts";

/** Whom everything belongs to on a server without keys. */
const EVERYBODY = "local";

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Addresses under which a server without keys answers: a page elsewhere cannot reach it through a name of its own. */
const LOCAL = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/** Routes that need no key: health, the description, the page. Told by the matched route, however its address is written. */
const OPEN = /^\/(health\/\w+|openapi\.json|studio\.json|\*?)$/;

/** Names the owner of every other request, or refuses it. */
export function addAuth(app: FastifyInstance, { keys = [] }: ServerConfig): void {
  const known = keys.map((key) => ({ owner: key.owner, hash: digest(key.secret) }));
  app.decorateRequest("owner", EVERYBODY);
  app.addHook("onRequest", async (request) => {
    if (known.length === 0) {
      if (LOCAL.test(request.headers.host ?? "")) return;
      throw new HttpError(
        "HOST_REFUSED",
        "A server without API keys answers under 127.0.0.1 and localhost only.",
      );
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
