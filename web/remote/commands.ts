import type { Engine } from "../engine/client.ts";
import type { Store } from "../state/store.ts";
import type { Message } from "../words/contract.ts";
import { addressOf, jobInAddress } from "./address.ts";
import { follow } from "./events.ts";
import { findServer } from "./find-server.ts";
import { apiKey, RemoteError } from "./http.ts";
import { jobInputsOf, namesOf, titlesOf } from "./job-inputs.ts";
import { cancelJob, type Job, newestJobs, resultOf, uploads } from "./jobs.ts";

export type ServerCommands = ReturnType<typeof serverCommands>;

/** The server behind the page: its jobs, and the one in the address. */
export function serverCommands(store: Store, engine: Engine) {
  const { get, send } = store;
  const refused = refusedBy(store);
  const followed = followedBy(store, engine, refused);

  const refresh = async (): Promise<void> => {
    try {
      send({ type: "jobs", jobs: await newestJobs() });
      const files = [...(await uploads("data")), ...(await uploads("models"))];
      send({ type: "names", names: Object.fromEntries(files.map((file) => [file.sha256, file.name])) });
    } catch (error) {
      refused(error);
    }
  };

  const go = (id: string | null): void => {
    if (id !== jobInAddress()) history.pushState(null, "", addressOf(id));
    send({ type: "address", id });
  };

  return {
    refused,
    refresh,
    go,
    /** Looks for a server, and listens to the back button; gives the way to stop. */
    start: (): (() => void) => {
      void findServer().then((info) => {
        const need = info?.key && apiKey.get() === "" ? "first" : "no";
        send({ type: "server", info, need });
        if (info && need === "no") void refresh();
      });
      const back = (): void => send({ type: "address", id: jobInAddress() });
      addEventListener("popstate", back);
      return () => removeEventListener("popstate", back);
    },
    /** Follows a job until its result is shown; gives the way to stop. */
    follow: (id: string): (() => void) => {
      const controller = new AbortController();
      const { signal } = controller;
      if (get().result?.job !== id)
        followed(id, signal).catch((error) => {
          if (!signal.aborted) send({ type: "unshown", id, failure: refused(error) });
        });
      return () => controller.abort();
    },
    giveKey: (key: string): void => {
      apiKey.set(key);
      void refresh();
    },
    cancel: async (id: string): Promise<void> => {
      try {
        send({ type: "job", job: await cancelJob(id) });
      } catch (error) {
        send({ type: "unshown", id, failure: refused(error) });
      }
    },
  };
}

/** What failed, in words; null where an unknown key is asked for again. */
type Refused = (error: unknown) => Message | null;

function refusedBy({ send }: Store): Refused {
  return (error) => {
    if (!(error instanceof RemoteError)) return String(error);
    if (error.status === 401) {
      apiKey.forget();
      send({ type: "key", need: "refused" });
      return null;
    }
    return error.status === 404 ? { key: "jobUnknown" } : error.said;
  };
}

/** Follows a job, and shows its result when it is done. */
function followedBy({ send, number }: Store, engine: Engine, refused: Refused) {
  /** The result of a job is shown at once; questions can be asked when its table and model are here too. */
  const show = async (job: Job, bytes: Uint8Array, signal: AbortSignal): Promise<void> => {
    const [explanation, names] = await Promise.all([
      engine.call("restore", { name: "the result", bytes }),
      namesOf(job),
    ]);
    if (signal.aborted) return;
    const titles = titlesOf(job, names);
    const model = { title: titles.model, outputs: explanation.outputs };
    const result = { explanation, model, source: titles.source, job: job.id, live: false };
    send({ type: "result", id: number(), result: { ...result, why: { key: "onTheWay" } } });
    const jobInputs = await jobInputsOf(job, names).catch((error) => refused(error) ?? "");
    if (signal.aborted) return;
    if (typeof jobInputs === "string" || "key" in jobInputs)
      return send({ type: "job inputs", job: job.id, why: jobInputs });
    await engine.call("takeJobInputs", jobInputs);
    send({ type: "job inputs", job: job.id });
  };

  return async (id: string, signal: AbortSignal): Promise<void> => {
    let last: Job | undefined;
    const watcher = {
      job: (job: Job): void => {
        last = job;
        send({ type: "job", job });
      },
      progress: (progress: Job["progress"]) => send({ type: "job progress", id, progress }),
      lost: (lost: boolean) => send({ type: "lost", id, lost }),
    };
    await follow(id, watcher, signal);
    if (signal.aborted || last?.state !== "done") return;
    const bytes = await resultOf(id);
    if (!signal.aborted) await show(last, bytes, signal);
  };
}
