import type { CommandSpec } from "../parse.ts";
import { checkCommand } from "./check.ts";
import { datasetsCommand } from "./datasets.ts";
import { explainCommand } from "./explain.ts";
import { refineCommand } from "./refine.ts";
import { reportCommand } from "./report.ts";
import { trainCommand } from "./train.ts";

/** Every command; a new one is one line here. */
export const commands: readonly CommandSpec[] = [
  explainCommand,
  refineCommand,
  trainCommand,
  checkCommand,
  datasetsCommand,
  reportCommand,
];
