import type { Writable } from "node:stream";
import { ColaError, isColaError, messageOf } from "../../src/errors.ts";
import type { Progress, WorkOptions } from "../../src/types.ts";
import { VERSION } from "../../src/version.ts";
import {
  type Answer,
  attributeRows,
  coupleRows,
  explainRows,
  render,
  rowLines,
  saveStudy,
  scoreRows,
  studyIn,
} from "./answers.ts";
import type { Reply } from "./asked.ts";
import { type Frame, frameBytes, framesOf } from "./frames.ts";
import { type Opened, openTable, structureOf, toldData, withModel } from "./studies.ts";

/** Version of the messages; one that a caller of another version could misread raises it. */
const PROTOCOL = 1;
/** Least time between two reports of progress. */
const PROGRESS_MS = 100;

/** A request under way. */
interface Request {
  readonly id: number;
  readonly frame: Frame;
  readonly work: WorkOptions;
}

/**
 * Answers requests one after the other until the input ends. What arrives meanwhile waits, but for answers to questions
 * and for `cancel`, which are heard at once. A message that is not a frame ends the session: nothing after it can be read.
 */
export async function serveBridge(input: AsyncIterable<Uint8Array>, output: Writable): Promise<void> {
  const session = new Session((frame) => output.write(frameBytes(frame)));
  for await (const frame of framesOf(input)) session.receive(frame);
  session.end();
}

class Session {
  private readonly send: (frame: Frame) => void;
  private readonly studies = new Map<string, Opened>();
  private readonly open = new Map<number, AbortController>();
  private readonly questions = new Map<number, (reply: Reply) => void>();
  private queue: Promise<unknown> = Promise.resolve();
  private counted = 0;

  constructor(send: (frame: Frame) => void) {
    this.send = send;
    send({ type: "ready", protocol: PROTOCOL, version: VERSION });
  }

  receive(frame: Frame): void {
    if (frame.type === "answer") this.settle(frame);
    else if (frame.type === "cancel")
      this.open.get(frame["id"] as number)?.abort(new ColaError("ABORTED", "cancelled"));
    else this.enqueue(frame);
  }

  private enqueue(frame: Frame): void {
    const { id } = frame;
    if (typeof id !== "number" || this.open.has(id)) {
      this.fail(id, invalid("every request needs a number of its own as id"));
      return;
    }
    const controller = new AbortController();
    this.open.set(id, controller);
    const work = { signal: controller.signal, onProgress: this.progress(id) };
    this.queue = this.queue.then(() => this.serve({ id, frame, work }));
  }

  /** The other side is gone: whatever is under way stops. */
  end(): void {
    for (const controller of this.open.values()) controller.abort();
  }

  private async serve({ id, frame, work }: Request): Promise<void> {
    try {
      this.send({ type: "result", id, ...(await this.answer({ id, frame, work })) });
    } catch (error) {
      this.fail(id, error);
    } finally {
      this.open.delete(id);
    }
  }

  private async answer(request: Request): Promise<Answer> {
    const { frame } = request;
    if (frame.type === "open") return this.opened(openTable(frame));
    if (frame.type === "render") return render(frame);
    const study = this.studies.get(String(frame["study"]));
    const serve = Object.hasOwn(SERVED, frame.type) ? SERVED[frame.type] : undefined;
    if (frame.type !== "model" && frame.type !== "close" && !serve)
      throw invalid(`there is no request ${JSON.stringify(frame.type.slice(0, 80))}`);
    if (!study) throw invalid(`there is no study ${JSON.stringify(frame["study"])}; send "open" first`);
    if (frame.type === "model") return this.model(study, request);
    if (serve) return serve(study, frame, withLimits(study, request.work));
    this.studies.delete(String(frame["study"]));
    return {};
  }

  private opened(opened: Opened): Answer {
    const study = `s${++this.counted}`;
    this.studies.set(study, opened);
    return { study, ...toldData(opened) };
  }

  private async model(before: Opened, { id, frame, work }: Request): Promise<Answer> {
    const study = String(frame["study"]);
    const { opened, columns, notes } = await withModel(before, frame, (rows) => this.ask(study, rows), work);
    this.studies.set(study, opened);
    const { model, title, digest } = studyIn(opened).model;
    return { id, outputs: model.outputs, title, digest, columns, notes, structure: structureOf(model) };
  }

  private ask(study: string, rows: Uint8Array): Promise<Reply> {
    const question = ++this.counted;
    this.send({ type: "question", question, study, parts: { rows } });
    return new Promise((resolve) => this.questions.set(question, resolve));
  }

  private settle({ question, error, code, parts = {} }: Frame): void {
    const reply = this.questions.get(question as number);
    this.questions.delete(question as number);
    const { scores } = parts;
    if (!reply) this.fail(null, invalid(`there is no question ${JSON.stringify(question)}`));
    else if (scores) reply({ scores });
    else {
      const message = typeof error === "string" ? error : "it gave no scores";
      reply({ error: message, late: code === "PREDICT_TIMEOUT" });
    }
  }

  private fail(id: unknown, thrown: unknown): void {
    const error = isColaError(thrown)
      ? thrown
      : new ColaError(
          "INTERNAL",
          `bridge: ${messageOf(thrown)}; this is a defect of cola, not of your input.`,
        );
    const { code, message, details } = error;
    this.send({ type: "error", id: typeof id === "number" ? id : null, code, message, details });
  }

  private progress(id: number): (progress: Progress) => void {
    let last = performance.now();
    return ({ stage, done, total }) => {
      if (performance.now() - last < PROGRESS_MS) return;
      last = performance.now();
      this.send({ type: "progress", id, stage, done, total });
    };
  }
}

const SERVED: Readonly<Record<string, (study: Opened, frame: Frame, work: WorkOptions) => Promise<Answer>>> =
  {
    score: scoreRows,
    explain: explainRows,
    attribute: attributeRows,
    couple: coupleRows,
    lines: rowLines,
    save: saveStudy,
  };

/** The time limit of a study is that of each request. */
function withLimits({ options: { timeout } }: Opened, work: WorkOptions): WorkOptions {
  if (timeout === undefined) return work;
  const until = performance.now() + timeout * 1000;
  return {
    ...work,
    get limits() {
      return { timeMs: Math.max(0, Math.floor(until - performance.now())) };
    },
  };
}

function invalid(rule: string): ColaError {
  return new ColaError("BRIDGE_INVALID", `bridge: ${rule}; docs/BRIDGE.md lists the messages.`);
}
