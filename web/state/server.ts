import type { Progress } from "../../src/types.ts";
import type { ServerInfo } from "../remote/find-server.ts";
import type { Job } from "../remote/jobs.ts";
import type { Message } from "../words/contract.ts";

/** The server asks for a key: for the first time, or because the one given is not known. */
type KeyNeed = "no" | "first" | "refused";

/** What the page knows of the server behind it. */
export interface Server {
  readonly info: ServerInfo | null;
  readonly need: KeyNeed;
  /** The newest first. */
  readonly jobs: readonly Job[];
  /** Names under which files were uploaded, by their SHA-256. */
  readonly names: Readonly<Record<string, string>>;
  /** The job in the address of the page. */
  readonly current: string | null;
  /** The connection to it broke. */
  readonly lost: boolean;
  /** Why it cannot be shown. */
  readonly failure: Message | null;
}

export type ServerAction =
  | { readonly type: "server"; readonly info: ServerInfo | null; readonly need: KeyNeed }
  | { readonly type: "key"; readonly need: KeyNeed }
  | { readonly type: "jobs"; readonly jobs: readonly Job[] }
  | { readonly type: "job"; readonly job: Job }
  | { readonly type: "job progress"; readonly id: string; readonly progress: Progress | null }
  | { readonly type: "names"; readonly names: Readonly<Record<string, string>> }
  | { readonly type: "address"; readonly id: string | null }
  | { readonly type: "lost"; readonly id: string; readonly lost: boolean }
  | { readonly type: "unshown"; readonly id: string; readonly failure: Message | null };

export function serverOf(current: string | null): Server {
  return { info: null, need: "no", jobs: [], names: {}, current, lost: false, failure: null };
}

/** What is heard of a job that is no longer in the address changes its line in the list, and nothing else. */
export function reduceServer(server: Server, action: ServerAction): Server {
  switch (action.type) {
    case "server":
      return { ...server, info: action.info, need: action.need };
    case "key":
      return { ...server, need: action.need };
    case "jobs": {
      const kept = server.jobs.filter(
        ({ id }) => id === server.current && !action.jobs.some((one) => one.id === id),
      );
      return { ...server, need: "no", jobs: [...action.jobs, ...kept] };
    }
    case "job": {
      const known = server.jobs.some(({ id }) => id === action.job.id);
      const jobs = known
        ? server.jobs.map((one) => (one.id === action.job.id ? action.job : one))
        : [action.job, ...server.jobs].sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
      return { ...server, jobs };
    }
    case "job progress": {
      const { id, progress } = action;
      return { ...server, jobs: server.jobs.map((job) => (job.id === id ? { ...job, progress } : job)) };
    }
    case "names":
      return { ...server, names: { ...server.names, ...action.names } };
    case "address":
      return action.id === server.current
        ? server
        : { ...server, current: action.id, lost: false, failure: null };
    case "lost":
      return action.id === server.current ? { ...server, lost: action.lost } : server;
    case "unshown":
      return action.id === server.current ? { ...server, failure: action.failure } : server;
  }
}
