import { needPeers } from "../node/peers.ts";
import { embeddedPeer } from "../node/store/pglite.ts";
import { postgresPeer } from "../node/store/postgres.ts";
import { openStore, type Store } from "../node/store/store.ts";
import type { ServerConfig, ServerLimits } from "./config.ts";
import { createEvents, type JobEvents } from "./jobs/events.ts";
import { type Runner, type RunnerParts, startRunner } from "./jobs/runner.ts";
import { createSpace, type Space } from "./space.ts";
import { startSweeps } from "./sweeps.ts";
import { openWorkers, type Workers } from "./work/workers.ts";

/** What works behind the addresses, and without any. */
interface Backend {
  readonly store: Store;
  readonly workers: Workers;
  readonly events: JobEvents;
  readonly runner: Runner;
  readonly space: Space;
  stop(): Promise<void>;
}

export async function openBackend(
  config: ServerConfig,
  limits: ServerLimits,
  heard: Pick<RunnerParts, "report" | "ended">,
): Promise<Backend> {
  await needPeers("serve: the server", [config.database === undefined ? embeddedPeer : postgresPeer]);
  const store = await openStore(config);
  try {
    const { allowHosts = [], tokens = {} } = config;
    const { filesAt } = store;
    const workers = openWorkers({ files: filesAt, allowHosts, tokens, limits }, config.database);
    const events = createEvents();
    const space = createSpace(store.folder, limits.freeBytes);
    const runner = startRunner({ store, workers, events, space, limits, ...heard });
    const stopSweeps = startSweeps(store, config.keepDays, heard.report);
    const stop = async (): Promise<void> => {
      await runner.stop();
      await workers.close();
      await stopSweeps();
      await store.close();
    };
    return { store, workers, events, runner, space, stop };
  } catch (error) {
    await store.close();
    throw error;
  }
}
