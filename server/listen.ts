import { ColaError } from "../src/errors.ts";
import type { App } from "./contract.ts";

/** Connections the system may hold until they are accepted; beyond it callers would see resets instead of 503. */
const BACKLOG = 4096;

/** Why a socket cannot be opened, and what helps. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "is in use by another process; give another --port, or stop that one",
  EACCES: "may not be opened by this user; give a --port of 1024 or more",
  EADDRNOTAVAIL: "is not an address of this machine; give another --host",
  ENOTFOUND: "is not a known host; give another --host",
};

/** Opens the socket; the address in words. */
export async function listen(app: Pick<App, "listen">, host: string, port: number): Promise<string> {
  try {
    return await app.listen({ host, port, backlog: BACKLOG });
  } catch (error) {
    const reason = REASONS[(error as NodeJS.ErrnoException).code ?? ""];
    if (reason === undefined) throw error;
    throw new ColaError("OPTION_INVALID", `serve: ${host}:${port} ${reason}.`, { host, port }, error);
  }
}
