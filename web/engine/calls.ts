import { compileConstraints } from "../../src/data/constraints.ts";
import { withConstraints } from "../../src/data/overlay.ts";
import { ColaError } from "../../src/errors.ts";
import type { Explanation } from "../../src/explanation.ts";
import { rowOf } from "../../src/num/matrix.ts";
import type { WorkOptions } from "../../src/types.ts";
import { type Data, embeddedData, infoOf, meaningOf, openData } from "./data.ts";
import { type Own, readOwn } from "./given.ts";
import type { Fitted } from "./model.ts";
import type { CallName, Calls, MadeFile, ModelInfo, Settings, Spent } from "./protocol.ts";
import type { Finished } from "./run.ts";

/** What the worker remembers between calls. */
interface Session {
  data: Data;
  /** The model of a file. */
  loaded?: Fitted;
  /** The model trained last, and for what. */
  trained?: { readonly data: Data; readonly key: string; readonly fitted: Fitted };
  given?: Own;
  run?: Finished;
  /** A run made elsewhere: answers begin when the first question comes. */
  lent?: () => Promise<Finished>;
  order?: Promise<Spent[]>;
  explanation?: Explanation;
}

/** Other plans shown for a person. */
const ALTERNATIVES = 3;

/** Largest table of a run made elsewhere that is made ready unasked. */
const READY_BYTES = 2 ** 20;

const session: Session = { data: embeddedData() };

/** What computes comes while the data are looked at: the page need not wait for it. */
const engine = () => Promise.all([import("./model.ts"), import("./run.ts")]);

function keep(data: Data): ReturnType<typeof infoOf> {
  session.data = data;
  return infoOf(data);
}

async function fittedFor({ model, seed }: Settings, work: WorkOptions): Promise<Fitted> {
  const { data } = session;
  if (model === "file") {
    if (session.loaded) return session.loaded;
    throw new ColaError("OPTION_INVALID", "Load a model file first, or choose a model to train.");
  }
  const key = `${model} ${seed}`;
  if (session.trained?.key === key && session.trained.data === data) return session.trained.fitted;
  const [{ trained }] = await engine();
  const fitted = await trained(model, data, seed, work);
  session.trained = { data, key, fitted };
  return fitted;
}

async function current(): Promise<Finished> {
  if (session.run) return session.run;
  if (session.lent) return session.lent();
  throw new ColaError("OPTION_INVALID", "This needs the model: run the explanation here first.");
}

function infoOfModel({ title }: Fitted, { outputs, inputs }: Finished["model"]): ModelInfo {
  return { title, outputs, ...(inputs ? { inputs } : {}) };
}

async function orderNow(work: WorkOptions): Promise<Spent[]> {
  const { orderOf } = await import("./lens.ts");
  return orderOf(await current(), work);
}

/** Features that may not change stay as they are; the person is matched anew among the run's counterfactuals. */
async function again(row: number, freeze: readonly string[], work: WorkOptions) {
  const run = await current();
  const [{ prepare }, { references }] = await Promise.all([import("../../src/prepare.ts"), run.made()]);
  const explainer = prepare({
    model: run.model,
    references,
    schema: run.schema,
    constraints: { freeze },
    training: run.training,
    options: {
      goal: { kind: "each", target: run.target },
      alternatives: ALTERNATIVES,
      seed: run.settings.seed,
    },
  });
  const before = run.explanation.rows[row]!;
  const after = await explainer.row(rowOf(run.x, row), work);
  return { ...after, row: before.row, ...(before.id === undefined ? {} : { id: before.id }) };
}

async function files({ kind, locale, reasons }: Calls["files"][0]): Promise<MadeFile[]> {
  if (!session.explanation) throw new ColaError("OPTION_INVALID", "There is no result to write yet.");
  if (kind !== "model") {
    return (await import("./files.ts")).resultFiles(session.explanation, kind, locale, reasons);
  }
  const [{ modelFile }] = await engine();
  const text = modelFile((await current()).fitted);
  if (!text) throw new ColaError("OPTION_INVALID", "Only a model trained here can be saved.");
  return [{ name: "model.json", type: "application/json", bytes: new TextEncoder().encode(text) }];
}

type Served = {
  readonly [Name in CallName]: (
    argument: Calls[Name][0],
    work: WorkOptions,
  ) => Calls[Name][1] | Promise<Calls[Name][1]>;
};

export const calls: Served = {
  embedded: () => {
    engine().catch(() => {});
    return keep(embeddedData());
  },
  open: async ({ name, bytes, ...roles }) => keep(await openData({ name, bytes }, roles)),
  roles: (roles) => keep(meaningOf(session.data.source, session.data.table, roles)),
  model: async ({ name, bytes, overlay }) => {
    const { readModel } = await import("./read-model.ts");
    const fitted = await readModel({ name, bytes });
    const schema = withConstraints(session.data.schema, overlay);
    const [{ bound }] = await engine();
    const model = bound(fitted, schema, compileConstraints(schema));
    session.loaded = fitted;
    return infoOfModel(fitted, model);
  },
  counterfactuals: async (file) => {
    const { own, rows } = await readOwn(file);
    session.given = own;
    return { rows };
  },
  lend: (lent) => {
    const { explanation } = session;
    if (!explanation) throw new ColaError("OPTION_INVALID", "There is no result yet.");
    let made: Promise<Finished> | undefined;
    session.lent = () => {
      made ??= import("./lent.ts").then(({ finishedOf }) => finishedOf(lent, explanation));
      return made;
    };
    // A small table is made ready before the first question, a large one when it comes.
    if ((lent.table?.bytes.length ?? 0) <= READY_BYTES) session.lent().catch(() => {});
    return {};
  },
  run: async (settings, work) => {
    const fitted = await fittedFor(settings, work);
    const [, { runAll }] = await engine();
    const run = await runAll(session.data, fitted, settings, session.given, work);
    session.run = run;
    session.explanation = run.explanation;
    delete session.lent;
    delete session.order;
    return { explanation: run.explanation, model: infoOfModel(fitted, run.model) };
  },
  again: ({ row, freeze }, work) => again(row, freeze, work),
  order: (_, work) => {
    session.order ??= orderNow(work);
    return session.order;
  },
  scores: async ({ edits }, work) => {
    session.order ??= orderNow(work);
    const { scoresAt } = await import("./lens.ts");
    return scoresAt(await current(), await session.order, edits, work);
  },
  compare: async ({ method }, work) => {
    const { compareWith } = await import("./compare.ts");
    return compareWith(await current(), method, work);
  },
  files,
  restore: async ({ name, bytes }) => {
    const { readExplanation } = await import("./files.ts");
    const explanation = readExplanation(name, bytes);
    session.explanation = explanation;
    delete session.run;
    delete session.lent;
    delete session.order;
    return explanation;
  },
};
