import pc from "picocolors";
import type { Paint } from "../show/text.ts";

/** Colours only where a person looks: a terminal, and NO_COLOR not set. */
const colours = pc.createColors(Boolean(process.stdout.isTTY) && !process.env["NO_COLOR"]);
export const paint: Paint = { bold: colours.bold, dim: colours.dim, good: colours.green, bad: colours.red };
