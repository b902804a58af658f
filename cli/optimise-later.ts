import { setFlagsFromString } from "node:v8";

/** Bytes of code a function runs through until V8 of Node 20 optimises it, and until it does so at the start. */
const [USUAL, AT_START] = [67_584, 1_000_000];
/** The start: what takes longer is worth optimising. */
const START_MS = 5000;

/**
 * Keeps V8 from optimising what runs once or twice: a short command spent a quarter of its CPU on that. Later versions than
 * that of Node 20 have no such flag.
 */
export function optimiseLater(): void {
  if (!process.versions.v8.startsWith("11.")) return;
  setFlagsFromString(`--interrupt-budget=${AT_START}`);
  setTimeout(() => setFlagsFromString(`--interrupt-budget=${USUAL}`), START_MS).unref();
}
