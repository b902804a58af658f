import pc from "picocolors";
import { explanationText, type Paint } from "../show/text.ts";
import { couplingNamed } from "../src/couple/registry.ts";
import { generatorNamed } from "../src/generate/registry.ts";
import type { Goal, Matrix, Model, Target, WorkOptions } from "../src/types.ts";
import type { Loaded } from "./inputs.ts";
import type { Given } from "./options.ts";
import { readReasons, resultKinds, writeResults } from "./results.ts";
import { EXIT, exitCodeFor } from "./run.ts";
import { dropShards, explainInShards, stoppedNote } from "./shards.ts";

/** Colours only where a person looks: a terminal, and NO_COLOR not set. */
const colours = pc.createColors(Boolean(process.stdout.isTTY) && !process.env["NO_COLOR"]);
export const paint: Paint = { bold: colours.bold, dim: colours.dim, good: colours.green, bad: colours.red };

/** Refuses unknown names before any work is done. */
export function checkNames(given: Given): void {
  if (given.generator) generatorNamed(given.generator);
  const { coupling } = given;
  if (coupling && coupling !== "match" && coupling !== "joint") couplingNamed(coupling);
  resultKinds(given.formats ?? []);
}

/** Everything a result is made from. */
export interface Case {
  readonly data: Loaded;
  readonly model: Model;
  readonly title: string;
  readonly target: Target;
  /** Rows of the data to explain. */
  readonly chosen: readonly number[];
  readonly x: Matrix;
  readonly references: Matrix;
  readonly pairs?: ArrayLike<number>;
}

/** Explains, writes the files, prints the result; the exit code says how it went. */
export async function tell(given: Given, work: WorkOptions, its: Case): Promise<number> {
  const { data, model, x, references, pairs, chosen, target } = its;
  const goal: Goal =
    given.effect === undefined ? { kind: "each", target } : { kind: "group", level: given.effect };
  const policy = given.policy === "minimal" && goal.kind === "group" ? undefined : given.policy;
  const kinds = resultKinds(given.formats ?? ["html", "csv"]);
  const codes = readReasons(given.reasons);
  const { explanation, stopped } = await explainInShards(given, data, {
    ...work,
    model,
    x,
    references,
    training: data.rows,
    schema: data.schema,
    goal,
    seed: given.seed ?? 0,
    ids: data.ids ? chosen.map((i) => data.ids![i]!) : chosen,
    ...(pairs ? { pairs } : {}),
    ...(given.alternatives ? { alternatives: given.alternatives } : {}),
    ...(given.coupling ? { coupling: given.coupling } : {}),
    ...(policy ? { policy } : {}),
    budget: {
      ...(given.budget === undefined ? {} : { total: given.budget }),
      ...(given.perRow === undefined ? {} : { perRow: given.perRow }),
    },
  });
  const files = await writeResults(given.out ?? "out", explanation, kinds, codes);
  if (stopped) process.stderr.write(`${stoppedNote(explanation.rows.length, x.rows)}\n`);
  else dropShards(given);
  if (given.json) process.stdout.write(`${JSON.stringify(explanation)}\n`);
  else {
    for (const note of data.notes) process.stdout.write(`${paint.dim(note)}\n`);
    process.stdout.write(
      `${data.source} (${data.rows.rows} rows), ${its.title}: ${explanation.rows.length} rows explained.\n\n`,
    );
    process.stdout.write(`${explanationText(explanation, { paint })}\n\nWritten: ${files.join(", ")}\n`);
  }
  return stopped ? EXIT.budget : exitCodeFor(explanation);
}
