/** The server behind the page. */
export interface ServerInfo {
  readonly version: string;
  /** It only answers requests with an API key. */
  readonly key: boolean;
}

/**
 * Asks once whether a server is behind the page: `cola serve` answers `studio.json` itself, any other place gives
 * the file of this name. From a disk nothing is asked.
 */
export async function findServer(): Promise<ServerInfo | null> {
  if (!/^https?:$/.test(location.protocol)) return null;
  try {
    const answer = await fetch("./studio.json", { cache: "no-store" });
    const health = (await answer.json()) as { server?: boolean } & Partial<ServerInfo>;
    return health.server ? { version: String(health.version ?? ""), key: health.key === true } : null;
  } catch {
    return null;
  }
}
