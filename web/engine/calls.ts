import { ColaError } from "../../src/errors.ts";
import type { Explanation } from "../../src/explanation.ts";
import type { WorkOptions } from "../../src/types.ts";
import type { Own, StudyModel } from "../../study/parts.ts";
import { infoOf, meant, type Opened, openData } from "./data.ts";
import type { Loaded } from "./model-files.ts";
import type { CallName, Calls, GivenFile, MadeFile, ModelInfo, RunRequest, Spent } from "./protocol.ts";
import { readingOf } from "./roles.ts";
import type { Brought, Finished } from "./run.ts";
import type { WhatIf } from "./what-if.ts";

/** What the worker remembers between calls. */
interface Session {
  data: Opened;
  /** The model of a file. */
  loaded?: Loaded;
  given?: Own;
  run?: Finished;
  /** A run made elsewhere: answers begin when the first question comes. */
  finished?: () => Promise<Finished>;
  order?: Promise<Spent[]>;
  explanation?: Explanation;
  /** A certificate of the explanation's plans that somebody brought. */
  certificate?: GivenFile;
  whatIf?: { readonly run: Finished; readonly asked: Promise<WhatIf> };
}

/** Largest table of a run made elsewhere that is made ready unasked. */
const READY_BYTES = 2 ** 20;

/** The embedded table, whose outcome is known. */
const embedded = (): Opened => meant(undefined, { label: "granted" });

const session: Session = { data: embedded() };

/** What computes comes while the data are looked at: the page need not wait for it. */
const engine = () => import("./run.ts");

function keep(data: Opened): ReturnType<typeof infoOf> {
  session.data = data;
  return infoOf(data);
}

/** The model and the counterfactuals a run is to be made with. */
function broughtFor({ model, generator, more }: RunRequest): Brought {
  const { loaded, given } = session;
  const beside = { ...(generator === "given" && given ? { own: given } : {}), ...(more ? { more } : {}) };
  if (model !== "file") return { model: { train: model }, ...beside };
  if (loaded)
    return { model: loaded.source, ...(loaded.encoding ? { encoding: loaded.encoding } : {}), ...beside };
  throw new ColaError("OPTION_INVALID", "Load a model file first, or choose a model to train.");
}

async function current(): Promise<Finished> {
  if (session.run) return session.run;
  if (session.finished) return session.finished();
  throw new ColaError("OPTION_INVALID", "This needs the model: run the explanation here first.");
}

function infoOfModel({ title, model: { outputs, inputs } }: StudyModel): ModelInfo {
  return { title: title[0]!.toUpperCase() + title.slice(1), outputs, ...(inputs ? { inputs } : {}) };
}

async function orderNow(work: WorkOptions): Promise<Spent[]> {
  const { orderOf } = await import("./lens.ts");
  return orderOf(await current(), work);
}

async function whatIf(): Promise<WhatIf> {
  const run = await current();
  if (session.whatIf?.run !== run) {
    const { whatIfOf } = await import("./what-if.ts");
    session.whatIf = { run, asked: whatIfOf(run) };
  }
  return session.whatIf.asked;
}

async function files({ kind, ...told }: Calls["files"][0]): Promise<MadeFile[]> {
  if (!session.explanation) throw new ColaError("OPTION_INVALID", "There is no result to write yet.");
  if (kind !== "model") {
    return (await import("./files.ts")).resultFiles(session.explanation, kind, told);
  }
  const { savedBundle } = await import("../../src/read/readers.ts");
  const { fitted } = (await current()).study.model;
  if (!fitted?.encoder) throw new ColaError("OPTION_INVALID", "Only a model trained here can be saved.");
  const text = savedBundle(fitted.model, fitted.encoder);
  return [{ name: "model.json", type: "application/json", bytes: new TextEncoder().encode(text) }];
}

/** An explanation that was not made here takes the place of the current one, where it is as it was written. */
async function opened(name: string, read: Explanation): Promise<Explanation> {
  const { insist } = await import("./opened.ts");
  const explanation = await insist(name, read);
  session.explanation = explanation;
  delete session.run;
  delete session.finished;
  delete session.order;
  delete session.certificate;
  return explanation;
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
    return keep(embedded());
  },
  open: async ({ name, bytes, ...roles }) => keep(await openData({ name, bytes }, roles)),
  roles: async (roles) => {
    const { table, file, roles: before } = session.data;
    const again = file && readingOf(roles) !== readingOf(before);
    return keep(again ? await openData(file, roles) : { ...meant(table, roles), ...(file ? { file } : {}) });
  },
  sort: async (file) => (await import("./sort.ts")).kindOf(file),
  model: async ({ name, bytes, overlay }, work) => {
    const [{ openModelFile }, { matched }] = await Promise.all([
      import("./read.ts"),
      import("./model-files.ts"),
    ]);
    const loaded = { source: await openModelFile({ name, bytes }) };
    const info = await matched(session.data, overlay, loaded, work);
    session.loaded = loaded;
    return info;
  },
  match: async ({ overlay, encoding, outputs }, work) => {
    const { loaded } = session;
    if (!loaded) return null;
    const { matched, named } = await import("./model-files.ts");
    const spec = encoding === undefined ? loaded.encoding : (encoding ?? undefined);
    const source = outputs ? await named(loaded, outputs) : loaded.source;
    session.loaded = { source, ...(spec ? { encoding: spec } : {}) };
    return matched(session.data, overlay, session.loaded, work);
  },
  alone: async () => {
    if (!session.loaded) throw new ColaError("OPTION_INVALID", "Load a model file first.");
    return (await import("./alone.ts")).tableAlone(session.loaded.source);
  },
  encoding: async (file) => (await import("./sort.ts")).readEncoding(file),
  constraints: async (file) => (await import("./sort.ts")).readConstraints(file),
  quality: async (settings, work) => {
    const [{ dataFor, modelFor }, { qualityOf }] = await Promise.all([
      engine(),
      import("../../study/quality.ts"),
    ]);
    const brought = broughtFor(settings);
    const { overlay, seed, target } = settings;
    const data = dataFor(session.data, overlay, brought);
    const model = await modelFor(session.data, overlay, brought, work, seed);
    const named = data.classes?.includes(target) ? target : undefined;
    return { ...(await qualityOf(data, model, named, work)), trained: "train" in brought.model };
  },
  counterfactuals: async (file) => {
    const [{ openOwn }, { countOwn }] = await Promise.all([
      import("./read.ts"),
      import("../../study/own.ts"),
    ]);
    const own = await openOwn(file);
    const rows = countOwn(own);
    session.given = own;
    return { rows };
  },
  takeJobInputs: (jobInputs) => {
    const { explanation } = session;
    if (!explanation) throw new ColaError("OPTION_INVALID", "There is no result yet.");
    let made: Promise<Finished> | undefined;
    session.finished = () => {
      made ??= import("./job-result.ts").then(({ finishedOf }) => finishedOf(jobInputs, explanation));
      return made;
    };
    // A small table is made ready before the first question, a large one when it comes.
    if ((jobInputs.table?.bytes.length ?? 0) <= READY_BYTES) session.finished().catch(() => {});
    return {};
  },
  pasted: async ({ text }) => {
    const { data, table, roles } = session.data;
    const { pastedRow } = await import("./applicant.ts");
    return pastedRow(text, data, (table?.table ?? data.table).names, roles);
  },
  run: async (settings, work) => {
    const brought = broughtFor(settings);
    const { runAll } = await engine();
    const run = await runAll(session.data, settings, brought, work);
    session.run = run;
    session.explanation = run.explanation;
    delete session.finished;
    delete session.order;
    delete session.certificate;
    return { explanation: run.explanation, model: infoOfModel(run.study.model) };
  },
  plans: async ({ position, difficulty }, work) => (await whatIf()).plans(position, difficulty, work),
  legal: async ({ position }) => (await whatIf()).legal(position),
  tried: async ({ position, values }) => (await whatIf()).tried(position, values),
  dependence: async ({ position, feature, values, also }) =>
    (await whatIf()).dependence(position, feature, values, also),
  order: (_, work) => {
    session.order ??= orderNow(work);
    return session.order;
  },
  scores: async ({ edits, among }, work) => {
    session.order ??= orderNow(work);
    const { scoresAt } = await import("./lens.ts");
    const order = await session.order;
    const chosen = among && new Set(among);
    const some = chosen ? order.filter(({ row }) => chosen.has(row)) : order;
    return scoresAt(await current(), some, edits, work);
  },
  compare: async ({ method }, work) => {
    const { compareWith } = await import("./compare.ts");
    return compareWith(await current(), method, work);
  },
  files,
  letter: async ({ position, ...options }) => {
    const { explanation } = session;
    const row = explanation?.rows[position];
    if (!explanation || !row) throw new ColaError("OPTION_INVALID", "There is no result to write yet.");
    return (await import("./files.ts")).letterFile(explanation, row, options);
  },
  keep: async () => {
    const { sessionStore } = await import("../session/session-store.ts");
    if (session.explanation) await sessionStore.put("result", session.explanation);
    return {};
  },
  recall: async () => {
    const { sessionStore } = await import("../session/session-store.ts");
    const kept = await sessionStore.get<Explanation>("result");
    return kept ? opened("the kept result", kept) : null;
  },
  restore: async ({ name, bytes }) => {
    const { readExplanation } = await import("./files.ts");
    return opened(name, readExplanation(name, bytes));
  },
  check: async ({ certificate, ...settings }, work) => {
    const { explanation, data: opened, loaded } = session;
    if (!explanation) throw new ColaError("OPTION_INVALID", "Open the run that is to be checked first.");
    if (certificate) session.certificate = certificate;
    const brought = settings.model === "file" && !loaded ? null : broughtFor({ ...settings, generator: "" });
    const { checkedBeside } = await import("./opened.ts");
    const kept = session.certificate ? { certificate: session.certificate } : {};
    return checkedBeside(explanation, { opened, brought, seed: settings.seed, ...kept }, work);
  },
  paper: async ({ name, bytes, locales, codes }) => {
    const { checkedPaper } = await import("./opened.ts");
    return checkedPaper({ name, bytes }, session.explanation, locales, codes);
  },
};
