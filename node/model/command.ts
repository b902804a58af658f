import { ColaError, isColaError, messageOf } from "../../src/errors.ts";
import { outputIndex } from "../../src/model/contract.ts";
import { type CellOptions, cellWriter } from "../../src/read/cells.ts";
import type { ReadOptions } from "../../src/read/read-options.ts";
import { whole } from "../../src/train/options.ts";
import type { Model } from "../../src/types.ts";
import { columnOf, tableAnswer } from "./answers.ts";
import { limitsOf } from "./limits.ts";
import { LineProcess, type Message } from "./line-process.ts";

const OWNER = "commandModel";

const LIMITS = {
  batchRows: whole(512, 1),
  timeoutMs: whole(60_000, 1),
  restarts: whole(1, 0, 1000),
  maxLineBytes: whole(2 ** 26, 1),
};

export interface CommandModelOptions extends CellOptions, ReadOptions {
  /** Most rows of one line. Default 512. */
  readonly batchRows?: number;
  /** Time one batch may take, the start of the command included. Default 60,000. */
  readonly timeoutMs?: number;
  /** How often a batch is sent again to a fresh process after the command crashed on it. Default 1. */
  readonly restarts?: number;
  /** Longest answer. Default 64 MiB. */
  readonly maxLineBytes?: number;
  /** Run by a shell, as given. Default false: the command is split at blanks, quotes apart. */
  readonly shell?: boolean;
  readonly cwd?: string;
  /** Environment of the command. Default: ours. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Ends the command. */
  readonly signal?: AbortSignal;
}

export interface CommandModel extends Model {
  /** Ends the command for good. */
  close(): Promise<void>;
}

/**
 * A model that is a command speaking JSON lines: it reads {"id", "rows": [[…], …]} (with "columns" where names
 * are known) from its input and writes {"id", "scores": […]} to its output, one line each, in order. A score is
 * a number, or a list with one number per output. {"id", "error": "…"} fails one batch and keeps the process.
 * It is started at the first batch, gets one line at a time, is killed when it takes too long, and is started
 * again after a crash.
 */
export function commandModel(
  command: string | readonly string[],
  options: CommandModelOptions = {},
): CommandModel {
  const outputs = [...(options.outputs ?? ["score"])];
  const writer = cellWriter(OWNER, options);
  const limits = limitsOf(OWNER, options, LIMITS);
  const words = typeof command === "string" ? splitCommand(command) : [...command];
  const argv = options.shell ? [typeof command === "string" ? command : words.join(" ")] : words;
  const line = restarting(argv, { ...options, ...limits });
  let batches = 0;
  const model: CommandModel = {
    outputs,
    ...(writer.names ? { inputs: writer.names } : {}),
    async predict(rows, output) {
      const o = outputIndex(model, output);
      const scores = new Float64Array(rows.rows);
      for (let from = 0; from < rows.rows; from += limits.batchRows) {
        const to = Math.min(rows.rows, from + limits.batchRows);
        const id = ++batches;
        const columns = writer.names ? { columns: writer.names } : {};
        const answer = await line.ask({ id, ...columns, rows: writer.rows(rows, from, to) });
        if (typeof answer["error"] === "string") throw reportedError(id, answer["error"]);
        scores.set(
          columnOf(OWNER, tableAnswer(OWNER, answer["scores"], to - from, outputs), outputs, o),
          from,
        );
      }
      return scores;
    },
    close: () => line.close(),
  };
  return model;
}

function reportedError(id: number, message: string): ColaError {
  return new ColaError(
    "PREDICT_FAILED",
    `${OWNER}: the command could not score batch ${id}: ${message.slice(0, 500)}`,
    { id },
  );
}

interface Line {
  /** Sends a message to the process, a fresh one where it crashed; calls queue up, one is under way at a time. */
  ask(message: Message): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

function restarting(
  argv: readonly string[],
  options: CommandModelOptions & { timeoutMs: number; restarts: number; maxLineBytes: number },
): Line {
  let running: LineProcess | undefined;
  let closed = false;
  let queue: Promise<unknown> = Promise.resolve();
  const ask = async (message: Message): Promise<Record<string, unknown>> => {
    for (let attempt = 0; ; attempt++) {
      if (closed) throw new ColaError("PREDICT_FAILED", `${OWNER}: the model was closed; make a new one.`);
      if (!running?.alive) running = new LineProcess(OWNER, argv, options);
      try {
        return await running.ask(message, options.signal);
      } catch (error) {
        if (isColaError(error)) throw error;
        if (attempt < options.restarts) continue;
        const times = attempt === 0 ? "" : ` (${attempt + 1} times)`;
        throw new ColaError(
          "PREDICT_FAILED",
          `${OWNER}: the command ${argv.join(" ").slice(0, 120)} ${messageOf(error)}${times}; run it by hand to see why.`,
          { attempts: attempt + 1 },
          error,
        );
      }
    }
  };
  return {
    ask(message) {
      const answer = queue.then(() => ask(message));
      queue = answer.catch(() => undefined);
      return answer;
    },
    async close() {
      closed = true;
      await running?.stop();
    },
  };
}

/** Words of a command line: blanks separate, single and double quotes hold together, nothing else is special. */
export function splitCommand(command: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (const c of command) {
    if (quote !== "") {
      if (c === quote) quote = "";
      else word += c;
    } else if (c === "'" || c === '"') {
      quote = c;
      word ??= "";
    } else if (c === " " || c === "\t" || c === "\n") {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + c;
  }
  if (word !== undefined) words.push(word);
  if (quote === "" && words.length > 0) return words;
  throw new ColaError(
    "OPTION_INVALID",
    `${OWNER}: the command ${JSON.stringify(command.slice(0, 80))} ${words.length === 0 ? "is empty" : "has a quote that is not closed"}.`,
  );
}
