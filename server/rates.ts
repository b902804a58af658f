import type { Sql } from "../node/store/database.ts";

/** What is told of a request that was counted. */
type Counted = (error: Error | null, count?: { current: number; ttl: number }) => void;

/**
 * Counts requests of each owner in the database, so that the limit holds over all servers. `@fastify/rate-limit` makes one
 * of these; while the database is away nothing is counted, for then nothing is done either.
 */
export function sharedRates(sql: () => Sql | undefined) {
  return class SharedRates {
    incr(owner: string, told: Counted, windowMs: number): void {
      count(sql(), owner, windowMs).then(
        (counted) => told(null, counted),
        () => told(null, { current: 0, ttl: windowMs }),
      );
    }

    child(): SharedRates {
      return new SharedRates();
    }
  };
}

/** A window that is over, or further away than any: the clock of the database was set back. */
const OVER = "(rates.until < now() or rates.until > excluded.until)";

async function count(
  sql: Sql | undefined,
  owner: string,
  windowMs: number,
): Promise<{ current: number; ttl: number }> {
  if (!sql) return { current: 0, ttl: windowMs };
  const rows = await sql.query<{ current: number; ttl: number }>(
    `insert into rates (owner, count, until) values ($1, 1, now() + make_interval(secs => $2::float8 / 1000))
     on conflict (owner) do update set
       count = case when ${OVER} then 1 else rates.count + 1 end,
       until = case when ${OVER} then excluded.until else rates.until end
     returning count as current, extract(epoch from until - now())::float8 * 1000 as ttl`,
    [owner, windowMs],
  );
  return rows[0]!;
}
