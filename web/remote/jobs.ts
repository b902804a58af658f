import type { Progress } from "../../src/types.ts";
import { ask, askJson, LOST, pause, RemoteError } from "./http.ts";
import type { JobRequest } from "./request.ts";

type JobState = "queued" | "running" | "done" | "failed" | "cancelled";

/** A job as the server describes it. */
export interface Job {
  readonly id: string;
  readonly state: JobState;
  readonly attempt: number;
  readonly progress: Progress | null;
  readonly error: { readonly code: string; readonly detail: string } | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  readonly about: {
    /** SHA-256 of the table; null is the embedded one. */
    readonly data: string | null;
    readonly model: { readonly train?: string; readonly file?: string; readonly url?: string };
    /** SHA-256 of counterfactuals of one's own. */
    readonly counterfactuals?: string;
    readonly calibration?: string;
    /** Not in lists: a job asked for or heard of by itself has them. */
    readonly options: Readonly<Record<string, unknown>>;
  };
}

/** Where files are uploaded to. */
export type UploadPlace = "data" | "models" | "counterfactuals";

/** Something uploaded. */
export interface Upload {
  readonly id: string;
  readonly name: string;
  readonly sha256: string;
}

export const isOpen = ({ state }: Pick<Job, "state">): boolean => state === "queued" || state === "running";

/** Jobs shown in the list. */
const NEWEST = 6;
/** How long a restarting server is waited for, and how often it is asked meanwhile. */
const PATIENCE_MS = 30_000;
const RETRY_MS = 500;

export async function newestJobs(): Promise<readonly Job[]> {
  return (await askJson<{ jobs: readonly Job[] }>(`v1/jobs?limit=${NEWEST}`)).jobs;
}

export function cancelJob(id: string): Promise<Job> {
  return askJson<Job>(`v1/jobs/${id}`, { method: "DELETE" });
}

export async function uploads(place: UploadPlace): Promise<readonly Upload[]> {
  return (await askJson<{ items: readonly Upload[] }>(`v1/${place}`)).items;
}

const TYPES: Readonly<Record<string, string>> = {
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  jsonl: "application/x-ndjson",
  ndjson: "application/x-ndjson",
};

/** Sends a file; the same content has the same id, so sending it again is safe. */
export function upload(place: UploadPlace, file: File): Promise<Upload> {
  const type =
    (place !== "models" && TYPES[file.name.split(".").at(-1)!.toLowerCase()]) || "application/octet-stream";
  const name = file.name.replace(/\p{C}/gu, "").slice(0, 200) || place;
  return patiently(() =>
    askJson<Upload>(`v1/${place}?name=${encodeURIComponent(name)}`, {
      method: "POST",
      headers: { "content-type": type },
      body: file,
    }),
  );
}

export async function uploadedFile(place: UploadPlace, id: string): Promise<Uint8Array> {
  return new Uint8Array(await (await ask(`v1/${place}/${id}/file`)).arrayBuffer());
}

/** A finished result is worth waiting for, even after too many requests. */
export function resultOf(id: string): Promise<Uint8Array> {
  const get = async () => new Uint8Array(await (await ask(`v1/jobs/${id}/result`)).arrayBuffer());
  return patiently(get, [429, 503]);
}

/** Puts a job in the line. One key for all tries: however often the connection breaks, there is one job. */
export function sendJob(request: JobRequest): Promise<Job> {
  const key = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify(request),
  };
  return patiently(() => askJson<Job>("v1/jobs", init));
}

/** Asks again while the server is away or answers with one of these. */
async function patiently<T>(send: () => Promise<T>, later: readonly number[] = [409, 503]): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const again = error instanceof RemoteError && (error.code === LOST || later.includes(error.status));
      if (!again || performance.now() > end) throw error;
      await pause(1000 * (error.retryAfter ?? RETRY_MS / 1000));
    }
  }
}
