import type { FastifyInstance } from "fastify";
import { appendEvent } from "../node/audit/trail.ts";
import type { Store } from "../node/store/store.ts";

/** How often what was counted goes into the trail. */
const EVERY_MS = 60_000;

/** Counts the requests of every key and the refusals, and writes the sums down now and then; returns the last time. */
export function addAccess(app: FastifyInstance, store: Store, keyed: boolean): () => Promise<void> {
  const uses = new Map<string, number>();
  const refused = new Map<string, number>();
  const add = (counts: Map<string, number>, name: string): void =>
    void counts.set(name, (counts.get(name) ?? 0) + 1);
  app.addHook("onResponse", async (request, reply) => {
    const status = reply.statusCode;
    if (status === 401 || status === 403 || status === 429) add(refused, String(status));
    else if (keyed && request.keyed) add(uses, request.owner);
  });
  const write = async (): Promise<void> => {
    if (uses.size + refused.size === 0) return;
    const facts = { uses: Object.fromEntries(uses), refused: Object.fromEntries(refused) };
    uses.clear();
    refused.clear();
    await store.db.transaction((sql) => appendEvent(store, sql, { event: "access", ...facts }));
  };
  const timer = setInterval(() => void write().catch(() => {}), EVERY_MS).unref();
  return async () => {
    clearInterval(timer);
    await write().catch(() => {});
  };
}
