import type { MadeFile } from "../engine/protocol.ts";

/** Browsers drop downloads that follow each other too fast. */
const PAUSE_MS = 200;

/** Gives a file to the person as a download. */
export function save({ name, type, bytes }: MadeFile): Promise<void> {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
