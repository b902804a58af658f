import cliProgress from "cli-progress";
import type { Progress } from "../src/types.ts";

/** Nothing is shown for work that ends within this many milliseconds. */
const QUIET_MS = 1500;
/** Least time between two plain lines when standard error is not a terminal. */
const LINE_MS = 5000;

/** A progress bar with ETA on standard error; plain lines where that is not a terminal. */
export function progressBar(): { readonly onProgress: (progress: Progress) => void; stop(): void } {
  const start = performance.now();
  const terminal = process.stderr.isTTY;
  const bar = new cliProgress.SingleBar(
    {
      stream: process.stderr,
      format: "{stage} {bar} {percentage} % | {value}/{total} | ETA {eta_formatted}",
      hideCursor: true,
      clearOnComplete: true,
    },
    cliProgress.Presets.shades_classic,
  );
  let stage = "";
  let active = false;
  let last = start;
  const onProgress = (progress: Progress): void => {
    const now = performance.now();
    if (now - start < QUIET_MS) return;
    if (terminal) {
      if (!active || stage !== progress.stage)
        bar.start(progress.total, progress.done, { stage: progress.stage.padEnd(10) });
      active = true;
      stage = progress.stage;
      bar.update(progress.done, { stage: progress.stage.padEnd(10) });
    } else if (now - last > LINE_MS) {
      last = now;
      process.stderr.write(`${progress.stage}: ${progress.done} of ${progress.total}\n`);
    }
  };
  return { onProgress, stop: () => active && bar.stop() };
}
