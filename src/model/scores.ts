import type { Link } from "../types.ts";
import { applyLink } from "./link.ts";
import { softmaxInto } from "./loss.ts";

/** Margins become scores, in place. */
export function scoresInto(link: Link, margins: readonly Float64Array[]): void {
  if (link === "softmax") {
    const [row, scores] = [new Float64Array(margins.length), new Float64Array(margins.length)];
    for (let t = 0; t < margins[0]!.length; t++) {
      for (let o = 0; o < row.length; o++) row[o] = margins[o]![t]!;
      softmaxInto(row, scores);
      for (let o = 0; o < row.length; o++) margins[o]![t] = scores[o]!;
    }
  } else if (link !== "identity") {
    for (const m of margins) for (let t = 0; t < m.length; t++) m[t] = applyLink(link, m[t]!);
  }
}
