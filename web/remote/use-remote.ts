import { useEffect, useRef, useState } from "react";
import { apiKey, RemoteError } from "./ask.ts";
import { follow } from "./events.ts";
import { findServer, type ServerInfo } from "./find-server.ts";
import { cancelJob, isOpen, type Job, newestJobs, resultOf, uploads } from "./jobs.ts";

/** The server asks for a key: for the first time, or because the one given is not known. */
export type KeyNeed = "no" | "first" | "refused";

interface Options {
  /** A result arrived. */
  show(job: Job, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** The address names another job, or none. */
  moved(id: string | null): void;
}

/** How often the list is asked while a job is open. */
const EVERY_MS = 1500;

function jobInAddress(): string | null {
  const id = new URLSearchParams(location.search).get("job");
  return id !== null && /^[0-9a-f-]{36}$/.test(id) ? id : null;
}

export function addressOf(id: string | null): string {
  return id === null ? location.pathname : `?job=${id}`;
}

const KNOWN_LATER = "This server does not know the job: it may belong to another key, or to another server.";

/** The server behind the page: its jobs, the one in the address, and whether it answers. */
export function useRemote({ show, moved }: Options) {
  const [server, setServer] = useState<ServerInfo | null>(null);
  const [need, setNeed] = useState<KeyNeed>("no");
  const [jobs, setJobs] = useState<readonly Job[]>([]);
  const [names, setNames] = useState<Readonly<Record<string, string>>>({});
  const [current, setCurrent] = useState(jobInAddress);
  const [lost, setLost] = useState(false);
  const [failure, setFailure] = useState("");
  const latest = useRef({ show, moved });
  latest.current = { show, moved };

  const put = (job: Job): void =>
    setJobs((old) =>
      old.some(({ id }) => id === job.id)
        ? old.map((one) => (one.id === job.id ? job : one))
        : [job, ...old].sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1)),
    );
  /** What failed, in words; an unknown key is asked for again. */
  const refused = (error: unknown): string => {
    if (!(error instanceof RemoteError)) return String(error);
    if (error.status === 401) {
      apiKey.forget();
      setNeed("refused");
      return "";
    }
    return error.status === 404 ? KNOWN_LATER : error.message;
  };
  const refresh = async (): Promise<void> => {
    try {
      const list = await newestJobs();
      const here = jobInAddress();
      setJobs((old) => [
        ...list,
        ...old.filter((one) => one.id === here && !list.some(({ id }) => id === here)),
      ]);
      setNeed("no");
      const files = [...(await uploads("data")), ...(await uploads("models"))];
      setNames(Object.fromEntries(files.map((file) => [file.sha256, file.name])));
    } catch (error) {
      refused(error);
    }
  };
  const go = (id: string | null): void => {
    if (id !== jobInAddress()) history.pushState(null, "", addressOf(id));
    setCurrent(id);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page opens
  useEffect(() => {
    findServer().then((found) => {
      setServer(found);
      if (found?.key && apiKey.get() === "") setNeed("first");
      else if (found) void refresh();
    });
    const back = (): void => setCurrent(jobInAddress());
    addEventListener("popstate", back);
    return () => removeEventListener("popstate", back);
  }, []);

  const ready = server !== null && need === "no";
  // biome-ignore lint/correctness/useExhaustiveDependencies: the newest callbacks are used
  useEffect(() => {
    setFailure("");
    setLost(false);
    if (!ready) return;
    latest.current.moved(current);
    if (current === null) return;
    const controller = new AbortController();
    const { signal } = controller;
    const watcher = {
      job: put,
      progress: (progress: Job["progress"]) =>
        setJobs((old) => old.map((one) => (one.id === current ? { ...one, progress } : one))),
      lost: setLost,
    };
    const end = async (): Promise<void> => {
      let last: Job | undefined;
      const job = (one: Job): void => {
        last = one;
        put(one);
      };
      await follow(current, { ...watcher, job }, signal);
      if (signal.aborted || last?.state !== "done") return;
      const bytes = await resultOf(current);
      if (!signal.aborted) await latest.current.show(last, bytes, signal);
    };
    end().catch((error) => !signal.aborted && setFailure(refused(error)));
    return () => controller.abort();
  }, [ready, current]);

  const others = ready && jobs.some((job) => isOpen(job) && job.id !== current);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only while another job is open
  useEffect(() => {
    if (!others) return;
    const timer = setInterval(() => void refresh(), EVERY_MS);
    return () => clearInterval(timer);
  }, [others]);

  return {
    server,
    need,
    jobs,
    names,
    current,
    lost,
    failure,
    go,
    put,
    refused,
    learn: (sha256: string, name: string) => setNames((old) => ({ ...old, [sha256]: name })),
    giveKey: (key: string) => {
      apiKey.set(key);
      void refresh();
    },
    cancel: async (id: string) => {
      try {
        put(await cancelJob(id));
      } catch (error) {
        setFailure(refused(error));
      }
    },
  };
}

export type Remote = ReturnType<typeof useRemote>;
