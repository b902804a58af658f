import { isColaError, isLimit, messageOf } from "../errors.ts";
import type { Matrix, Model, WorkOptions } from "../types.ts";

export interface CheckModelOptions extends WorkOptions {
  /** Scores the model should give, one per row. */
  readonly reference?: ArrayLike<number>;
  /** The output the reference is about. Default: the model's default output. */
  readonly output?: string | number;
  /** Largest difference to references, structure and sums of probabilities. Default 1e-6. */
  readonly tolerance?: number;
  /** Largest difference between two answers that should be the same. Default 0: every bit. */
  readonly noise?: number;
  /** Do the scores of several outputs sum to one? Default true. */
  readonly probabilities?: boolean;
  /** Opens what `toJSON` wrote. Default `loadModel`. */
  readonly load?: (json: unknown) => Model;
}

/** Everything a law may use. */
export interface Trial {
  readonly model: Model;
  readonly rows: Matrix;
  /** Scores of every output on `rows`. */
  readonly scores: readonly Float64Array[];
  readonly options: CheckModelOptions;
  readonly tolerance: number;
  readonly noise: number;
  ask(rows: Matrix, output: number, model?: Model): Promise<Float64Array>;
}

/** One law of a contract, and whether the thing under test keeps it. */
export interface LawResult {
  readonly law: string;
  readonly ok: boolean;
  /** Where the law holds: empty, or what was seen; else what was expected and what was found. */
  readonly message: string;
}

/**
 * Runs every law; one that throws is broken, and its message says how. A text it returns is kept as what was
 * seen. Aborts and limits are the caller's, not the law's, and go through.
 */
export async function runLaws(laws: Readonly<Record<string, () => unknown>>): Promise<readonly LawResult[]> {
  const results: LawResult[] = [];
  for (const [law, check] of Object.entries(laws)) {
    try {
      const seen = await check();
      results.push({ law, ok: true, message: typeof seen === "string" ? seen : "" });
    } catch (error) {
      if (isLimit(error) || (isColaError(error) && error.code === "ABORTED")) throw error;
      results.push({ law, ok: false, message: messageOf(error) });
    }
  }
  return results;
}

/** Throws `message` unless `holds`. */
export function demand(holds: boolean, message: () => string): void {
  if (!holds) throw new Error(message());
}
