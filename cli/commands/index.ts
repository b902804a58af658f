import type { CommandSpec } from "../parse.ts";
import { attributeCommand } from "./attribute.ts";
import { auditCommand } from "./audit.ts";
import { backupCommand, restoreCommand } from "./backup.ts";
import { bridgeCommand } from "./bridge.ts";
import { cardCommand } from "./card.ts";
import { checkCommand } from "./check.ts";
import { coupleCommand } from "./couple.ts";
import { datasetsCommand } from "./datasets.ts";
import { explainCommand } from "./explain.ts";
import { forgetCommand } from "./forget.ts";
import { generateCommand } from "./generate.ts";
import { groupsCommand } from "./groups.ts";
import { letterCommand } from "./letter.ts";
import { pipeCommand } from "./pipe.ts";
import { refineCommand } from "./refine.ts";
import { replayCommand } from "./replay.ts";
import { reportCommand } from "./report.ts";
import { reproduceCommand } from "./reproduce.ts";
import { serveCommand } from "./serve.ts";
import { studyCommand } from "./study.ts";
import { trainCommand } from "./train.ts";
import { verifyCommand } from "./verify.ts";
import { workerCommand } from "./worker.ts";

/** Every command; a new one is one line here. */
export const commands: readonly CommandSpec[] = [
  explainCommand,
  groupsCommand,
  refineCommand,
  trainCommand,
  generateCommand,
  coupleCommand,
  attributeCommand,
  checkCommand,
  datasetsCommand,
  reportCommand,
  letterCommand,
  cardCommand,
  reproduceCommand,
  serveCommand,
  workerCommand,
  replayCommand,
  auditCommand,
  forgetCommand,
  backupCommand,
  restoreCommand,
  bridgeCommand,
  verifyCommand,
  studyCommand,
  pipeCommand,
];
