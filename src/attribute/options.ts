import { ColaError, checkCount, checkOption, checkWhole } from "../errors.ts";
import type { Coupling, Matrix, WorkOptions } from "../types.ts";
import type { Legal } from "./legal.ts";

export interface PshapOptions extends WorkOptions {
  /** Output explained, by name or index. Default: index 1 of a two-output model, else 0. */
  readonly output?: string | number;
  /** Table columns of each player. Default: every column is a player. A column of none holds x_i. */
  readonly groups?: readonly (readonly number[])[];
  /** n × players: where 0, the reference's value is replaced by x_i's before the game. Default: all allowed. */
  readonly allowed?: Matrix | Uint8Array;
  /** Rules over whole table rows; an illegal hybrid is worth the mean of the largest legal ones within it. */
  readonly legal?: Legal;
  /**
   * What is attributed. `auto` (default): the score where every game of the call is exact in it (identity
   * link, at most `exactPlayers` differing players of a linear or tree model, at most `maxEnumeration`
   * hybrids of any other), else the margin where that is exact (linear and tree models), else the score,
   * sampled. `each`: the same row by row, so that a row's answer does not depend on the others of the call.
   */
  readonly space?: "auto" | "each" | "score" | "margin";
  /** Differing players up to which the hybrids of a linear or tree model are read off its structure. Default 14. */
  readonly exactPlayers?: number;
  /** Hybrids (2^players) up to which a game of any other model is enumerated. Default 2048: 11 players. */
  readonly maxEnumeration?: number;
  /** A sampled game stops when 2·‖standard errors‖ ≤ tolerance·‖φ‖. Default 0.01. */
  readonly tolerance?: number;
  /** Hybrids scored per sampled game at most (above 4,098 is not used). Default 2050. */
  readonly maxEvaluations?: number;
  /** Default 0. */
  readonly seed?: number;
  /** Rows sent to the model in one call. Default 8192. */
  readonly batchRows?: number;
}

const SPACES = ["auto", "each", "score", "margin"];

export type AttributionSettings = ReturnType<typeof settingsOf>;

/** The options that are plain values, with their defaults. */
export function settingsOf(given: PshapOptions) {
  const { space = "auto", exactPlayers = 14, maxEnumeration = 2048, tolerance = 0.01 } = given;
  const { maxEvaluations = 2050, seed = 0, batchRows = 8192 } = given;
  checkOption(SPACES.includes(space), "pshap", "space", `one of ${SPACES.join(", ")}`, space);
  checkWhole("pshap", "exactPlayers", exactPlayers, 0, 18);
  checkWhole("pshap", "maxEnumeration", maxEnumeration, 2, 2 ** 20);
  checkOption(Number.isFinite(tolerance) && tolerance >= 0, "pshap", "tolerance", "a number ≥ 0", tolerance);
  checkWhole("pshap", "maxEvaluations", maxEvaluations, 66);
  checkOption(Number.isFinite(seed), "pshap", "seed", "a finite number", seed);
  checkWhole("pshap", "batchRows", batchRows, 1);
  return { space, exactPlayers, maxEnumeration, tolerance, maxEvaluations, seed, batchRows };
}

/** Throws unless the coupling joins the rows of x and r and its masses are weights. */
export function checkCouplingFits(coupling: Coupling, n: number, m: number): void {
  if (coupling.n !== n || coupling.m !== m) {
    throw new ColaError(
      "INPUT_SHAPE",
      `pshap: the coupling is ${coupling.n} × ${coupling.m}, but there are ${n} rows and ${m} references.`,
      { n, m, coupling: [coupling.n, coupling.m] },
    );
  }
  const { rows, cols, mass } = coupling;
  for (let e = 0; e < mass.length; e++) {
    const [i, j] = [rows[e]!, cols[e]!];
    if (!(i >= 0 && i < n && j >= 0 && j < m) || (e > 0 && i < rows[e - 1]!)) {
      throw new ColaError(
        "PAIRS_INVALID",
        `pshap: entry ${e} of the coupling is (${i}, ${j}); entries lie in ${n} × ${m}, sorted by row.`,
        { entry: e, row: i, column: j },
      );
    }
    if (!(mass[e]! >= 0 && mass[e]! < Number.POSITIVE_INFINITY)) {
      throw new ColaError(
        "WEIGHTS_INVALID",
        `pshap: entry ${e} of the coupling has mass ${mass[e]}; masses are finite numbers ≥ 0.`,
        { entry: e, mass: String(mass[e]) },
      );
    }
  }
}

/** `allowed` as flags, row by row. */
export function allowedFlags(
  allowed: Matrix | Uint8Array | undefined,
  n: number,
  players: number,
): ArrayLike<number> | undefined {
  if (allowed === undefined) return undefined;
  const flags = allowed instanceof Uint8Array ? allowed : allowed.data;
  if ("rows" in allowed) checkCount("pshap", "allowed", allowed.rows, n, "rows");
  checkCount("pshap", "allowed", flags.length, n * players, "rows × players");
  return flags;
}
