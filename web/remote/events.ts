import type { Progress } from "../../src/types.ts";
import { ask, LOST, pause, RemoteError } from "./http.ts";
import { isOpen, type Job } from "./jobs.ts";

interface Watcher {
  job(job: Job): void;
  progress(progress: Progress): void;
  /** The connection broke (true) or is there again (false). */
  lost(lost: boolean): void;
}

const FIRST_WAIT_MS = 400;
const LONGEST_WAIT_MS = 4000;

/**
 * Follows a job until it ends, over as many connections as it takes: the first event of each is the job's state, so
 * nothing is missed while the server was away. Read by hand rather than with EventSource, which sends no API key.
 */
export async function follow(id: string, watcher: Watcher, signal: AbortSignal): Promise<void> {
  let wait = FIRST_WAIT_MS;
  while (!signal.aborted) {
    try {
      const answer = await ask(`v1/jobs/${id}/events`, { signal });
      watcher.lost(false);
      wait = FIRST_WAIT_MS;
      if (await listen(answer, watcher, signal)) return;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof RemoteError && error.code !== LOST && ![429, 503].includes(error.status))
        throw error;
      watcher.lost(true);
    }
    await pause(wait, signal);
    wait = Math.min(LONGEST_WAIT_MS, 2 * wait);
  }
}

/** Reads events until the stream ends; true when the job has ended. */
async function listen(answer: Response, watcher: Watcher, signal: AbortSignal): Promise<boolean> {
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const part = await reader.read().catch(() => ({ done: true as const, value: undefined }));
    if (part.done || signal.aborted) return false;
    text += part.value;
    const blocks = text.split("\n\n");
    text = blocks.pop()!;
    for (const block of blocks) if (tell(block, watcher)) return true;
  }
}

function tell(block: string, watcher: Watcher): boolean {
  const field = (name: string): string =>
    block
      .split("\n")
      .filter((line) => line.startsWith(`${name}: `))
      .map((line) => line.slice(name.length + 2))
      .join("\n");
  const data = field("data");
  if (data === "") return false;
  if (field("event") === "progress") watcher.progress(JSON.parse(data) as Progress);
  if (field("event") !== "state") return false;
  const job = JSON.parse(data) as Job;
  watcher.job(job);
  return !isOpen(job);
}
