import { isColaError } from "../errors.ts";
import type { Generated, Generator, Task } from "../generate/contract.ts";
import { asModel } from "../model/contract.ts";
import { reachOf } from "../model/target.ts";
import { copyOf, rowOf, sameValue, takeRows } from "../num/matrix.ts";
import { stream } from "../num/random.ts";
import type { Matrix, Model, RowStatus, WorkOptions } from "../types.ts";
import { frozen, generatorTasks } from "./generator-tasks.ts";
import { demand, type LawResult, runLaws } from "./law.ts";

export interface GeneratorClaims {
  /** Tasks to try it on, by name. Default: three small made-up ones. */
  readonly tasks?: Readonly<Record<string, Task>>;
  /** Options it is called with. */
  readonly options?: object;
  /** Counterfactuals of one row may depend on the other rows. Default false. */
  readonly group?: boolean;
  /** Default 0. */
  readonly seed?: number;
}

const STATUSES: readonly RowStatus[] = ["ok", "infeasible", "budget", "model_error", "invalid_input"];

/**
 * The laws every generator keeps: one status and reason per row, pairs that point at rows that are `ok`, every
 * row at the target when the model is asked again and a legal edit of its factual row, the same answer twice
 * and whatever the order of the rows (and, unless it claims to treat them as a group, whatever the other
 * rows), inputs left alone, limits kept, aborts heard.
 */
export async function checkGenerator(
  generate: Generator,
  claims: GeneratorClaims = {},
): Promise<readonly LawResult[]> {
  const { tasks = generatorTasks(), options = {}, seed = 0 } = claims;
  const raw: Call = (task, extra = {}) =>
    generate(task, { ...options, ...extra }, stream(seed, "checkGenerator"));
  // Rows of their own for every call: one that writes into them breaks its own law only.
  const call: Call = (task, extra) =>
    raw({ ...task, x: copyOf(task.x), references: copyOf(task.references) }, extra);
  const all = (law: (task: Task) => Promise<void>) => async (): Promise<void> => {
    for (const [name, task] of Object.entries(tasks)) {
      try {
        await law(task);
      } catch (error) {
        throw new Error(`on the task ${name}: ${error instanceof Error ? error.message : error}`, {
          cause: error,
        });
      }
    }
  };
  const alone = {
    "rows on their own": all((task) => onTheirOwn(call, task)),
    "one failing row": all((task) => oneFails(call, task)),
  };
  return runLaws({
    shape: all(async (task) => shape(await call(task), task)),
    pairs: all(async (task) => pairs(await call(task), task)),
    validity: all(async (task) => validity(await call(task), task)),
    constraints: all(async (task) => constraints(await call(task), task)),
    "nothing may change": all((task) => nothingMayChange(call, task)),
    "same answer twice": all(async (task) => same(await call(task), await call(task), "asked twice")),
    "permuted rows": all((task) => permuted(call, task)),
    ...(claims.group ? {} : alone),
    "inputs unwritten": all((task) => unwritten(raw, task)),
    "limits kept": all((task) => limitsKept(call, task)),
    "aborts heard": all((task) => abortsHeard(call, task)),
  });
}

type Call = (task: Task, extra?: WorkOptions) => Promise<Generated>;

function shape({ rows, report }: Generated, { x }: Task): void {
  demand(rows.cols === x.cols, () => `rows have ${rows.cols} columns where x has ${x.cols}`);
  demand(rows.data.length === rows.rows * rows.cols, () => `rows hold ${rows.data.length} cells`);
  const { status, reasons } = report;
  demand(status.length === x.rows, () => `${status.length} statuses for ${x.rows} rows`);
  demand(reasons.length === x.rows, () => `${reasons.length} reasons for ${x.rows} rows`);
  status.forEach((s, i) => {
    demand(STATUSES.includes(s), () => `row ${i} has the status ${s}`);
    demand((s === "ok") === (reasons[i] === ""), () => `row ${i} is ${s} with the reason "${reasons[i]}"`);
  });
}

function pairs({ rows, pairs: given, report }: Generated, { x }: Task): void {
  if (!given) return;
  demand(given.length === rows.rows, () => `${given.length} pairs for ${rows.rows} rows`);
  const counts = new Int32Array(x.rows);
  given.forEach((i, t) => {
    demand(i >= 0 && i < x.rows, () => `row ${t} belongs to factual row ${i} of ${x.rows}`);
    counts[i]!++;
  });
  report.status.forEach((status, i) => {
    demand((status === "ok") === counts[i]! > 0, () => `row ${i} is ${status} with ${counts[i]} rows`);
  });
}

async function validity({ rows }: Generated, task: Task): Promise<void> {
  const model = asModel(task.model);
  const reach = reachOf(model, task.target);
  const scores = await Promise.all(reach.outputs.map((output) => model.predict(rows, output)));
  for (let t = 0; t < rows.rows; t++) {
    const slack = reach.slack(scores, t);
    demand(reach.reached(slack), () => `row ${t} is not at the target: slack ${slack}`);
  }
}

/** Without pairs a row must be a legal edit of some factual row. */
function constraints({ rows, pairs: given }: Generated, task: Task): void {
  const everyone = Array.from({ length: task.x.rows }, (_, i) => i);
  for (let t = 0; t < rows.rows; t++) {
    const owners = given ? [given[t]!] : everyone;
    const wrong = owners.map((i) => task.constraints.violations(rowOf(task.x, i), rowOf(rows, t)));
    demand(
      wrong.some((list) => list.length === 0),
      () => `row ${t}: ${wrong[0]!.join("; ")}`,
    );
  }
}

/** Rows at the target answer with themselves, all others are infeasible. */
async function nothingMayChange(call: Call, task: Task): Promise<void> {
  const still = frozen(task);
  const generated = await call(still);
  constraints(generated, still);
  await validity(generated, still);
  const wrong = generated.report.status.findIndex((s) => s !== "ok" && s !== "infeasible");
  demand(wrong < 0, () => `row ${wrong} is ${generated.report.status[wrong]} where nothing may change`);
}

function same(a: Generated, b: Generated, when: string): void {
  demand(a.rows.rows === b.rows.rows, () => `${a.rows.rows} rows and then ${b.rows.rows}, ${when}`);
  const cell = a.rows.data.findIndex((v, c) => !sameValue(v, b.rows.data[c]!));
  demand(cell < 0, () => `cell ${cell} is ${a.rows.data[cell]} and then ${b.rows.data[cell]}, ${when}`);
  const pair = a.pairs?.findIndex((i, t) => i !== b.pairs?.[t]) ?? -1;
  demand(pair < 0, () => `pair ${pair} differs, ${when}`);
  const row = a.report.status.findIndex((s, i) => s !== b.report.status[i]);
  demand(row < 0, () => `row ${row} is ${a.report.status[row]} and then ${b.report.status[row]}, ${when}`);
}

/** The counterfactuals of factual row i alone, as a result of its own; all rows where there are no pairs. */
function ofRow({ rows, pairs: given, report }: Generated, i: number): Generated {
  const mine = Int32Array.from({ length: rows.rows }, (_, t) => t).filter((t) => !given || given[t] === i);
  return { rows: takeRows(rows, mine), report: { ...report, status: [report.status[i]!], reasons: [] } };
}

async function permuted(call: Call, task: Task): Promise<void> {
  const order = Int32Array.from({ length: task.x.rows }, (_, t) => task.x.rows - 1 - t);
  const [straight, turned] = [await call(task), await call({ ...task, x: takeRows(task.x, order) })];
  order.forEach((i, t) => {
    same(ofRow(straight, i), ofRow(turned, t), `row ${i} in another order`);
  });
}

async function onTheirOwn(call: Call, task: Task): Promise<void> {
  const together = await call(task);
  if (!together.pairs) return;
  for (const i of [0, task.x.rows - 1]) {
    const alone = await call({ ...task, x: takeRows(task.x, [i]) });
    same(ofRow(together, i), ofRow(alone, 0), `row ${i} on its own`);
  }
}

/** A model that throws on one factual row costs this row its answer and no other. */
async function oneFails(call: Call, task: Task): Promise<void> {
  const model = asModel(task.model);
  const poison = rowOf(task.x, 1);
  const predict: Model["predict"] = (rows, output) => {
    for (let t = 0; t < rows.rows; t++) {
      if (rowOf(rows, t).every((v, k) => sameValue(v, poison[k]!))) throw new Error("this row is poison");
    }
    return model.predict(rows, output);
  };
  const generated = await call({ ...task, model: { ...model, predict } });
  const { status } = generated.report;
  demand(status[1] === "model_error", () => `the row the model fails on is ${status[1]}`);
  const well = await call(task);
  well.report.status.forEach((_, i) => {
    if (i !== 1) same(ofRow(well, i), ofRow(generated, i), `row ${i} beside a failing row`);
  });
}

async function unwritten(call: Call, task: Task): Promise<void> {
  const inputs: readonly Matrix[] = [copyOf(task.x), copyOf(task.references)];
  const before = inputs.map((m) => m.data.slice());
  await call({ ...task, x: inputs[0]!, references: inputs[1]! });
  inputs.forEach((m, t) => {
    const cell = m.data.findIndex((v, c) => !sameValue(v, before[t]![c]!));
    demand(cell < 0, () => `cell ${cell} of ${t === 0 ? "x" : "the references"} was written`);
  });
}

/** However few rows may be scored, no more are, and every row says what became of it. */
async function limitsKept(call: Call, task: Task): Promise<void> {
  const model = asModel(task.model);
  for (const modelRows of [0, task.x.rows, 3 * task.x.rows + task.references.rows]) {
    let asked = 0;
    const predict: Model["predict"] = (rows, output) => {
      asked += rows.rows;
      return model.predict(rows, output);
    };
    const generated = await call({ ...task, model: { ...model, predict } }, { limits: { modelRows } });
    demand(asked <= modelRows, () => `${asked} rows were scored where ${modelRows} were allowed`);
    shape(generated, task);
    pairs(generated, task);
    await validity(generated, task);
  }
}

async function abortsHeard(call: Call, task: Task): Promise<void> {
  const model = asModel(task.model);
  for (const before of [true, false]) {
    const { signal, abort } = abortable();
    const predict: Model["predict"] = (rows, output) => {
      abort();
      return Promise.resolve(model.predict(rows, output));
    };
    if (before) abort();
    let code = "no error";
    try {
      await call({ ...task, model: { ...model, predict } }, { signal });
    } catch (error) {
      code = isColaError(error) ? error.code : String(error);
    }
    demand(code === "ABORTED", () => `aborted ${before ? "before" : "while"} it ran, it ended with ${code}`);
  }
}

/** The part of an AbortSignal the library reads, made by hand: a controller is not among its globals. */
function abortable(): { signal: AbortSignal; abort(): void } {
  const listeners = new Set<() => void>();
  const signal = {
    aborted: false,
    reason: undefined as unknown,
    addEventListener: (_: string, listener: () => void) => void listeners.add(listener),
    removeEventListener: (_: string, listener: () => void) => void listeners.delete(listener),
  };
  const abort = (): void => {
    signal.aborted = true;
    signal.reason = "stopped by the contract";
    for (const listener of [...listeners]) listener();
  };
  return { signal: signal as unknown as AbortSignal, abort };
}
