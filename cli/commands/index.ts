import type { CommandSpec } from "../parse.ts";
import { attributeCommand } from "./attribute.ts";
import { auditCommand } from "./audit.ts";
import { checkCommand } from "./check.ts";
import { coupleCommand } from "./couple.ts";
import { datasetsCommand } from "./datasets.ts";
import { explainCommand } from "./explain.ts";
import { generateCommand } from "./generate.ts";
import { refineCommand } from "./refine.ts";
import { replayCommand } from "./replay.ts";
import { reportCommand } from "./report.ts";
import { reproduceCommand } from "./reproduce.ts";
import { serveCommand } from "./serve.ts";
import { trainCommand } from "./train.ts";

/** Every command; a new one is one line here. */
export const commands: readonly CommandSpec[] = [
  explainCommand,
  refineCommand,
  trainCommand,
  generateCommand,
  coupleCommand,
  attributeCommand,
  checkCommand,
  datasetsCommand,
  reportCommand,
  reproduceCommand,
  serveCommand,
  replayCommand,
  auditCommand,
];
