import { pshap } from "../src/attribute/pshap.ts";
import { average } from "../src/compose/average.ts";
import { mostLikely } from "../src/compose/most-likely.ts";
import { squaredEuclidean } from "../src/couple/cost.ts";
import { exact } from "../src/couple/exact.ts";
import { random as randomCoupling } from "../src/couple/random.ts";
import { conditionals, onePartner } from "../src/couple/rows.ts";
import { transport } from "../src/couple/transport.ts";
import { uniform } from "../src/couple/uniform.ts";
import { ColaError } from "../src/errors.ts";
import { takeRows } from "../src/num/matrix.ts";
import type { Random } from "../src/num/random.ts";
import type { Coupling, Matrix, WorkOptions } from "../src/types.ts";
import type { PaperMethod } from "./methods.ts";
import type { Switches } from "./settings.ts";
import type { Setup } from "./setup.ts";

/** What a method hands to the choice of cells. */
interface Proposal {
  /** φ, n × d. */
  readonly phi: Matrix;
  /** n × d. */
  readonly q: Matrix;
}

/** Draws from p(·|i) in the authors' programs, of which only the distinct references are kept. */
const SUPPORT_DRAWS = 1000;

/** Proposals of one scenario; what methods share is computed once. */
export class Proposals {
  private readonly setup: Setup;
  private readonly switches: Switches;
  private readonly value: "max" | "average";
  private readonly random: Random;
  private readonly work: WorkOptions;
  private readonly known = new Map<string, Promise<unknown>>();

  constructor(setup: Setup, switches: Switches, value: "max" | "average", random: Random, work: WorkOptions) {
    this.setup = setup;
    this.switches = switches;
    this.value = value;
    this.random = random;
    this.work = work.signal ? { signal: work.signal } : {};
  }

  private once<T>(name: string, make: () => Promise<T>): Promise<T> {
    const made = (this.known.get(name) as Promise<T> | undefined) ?? make();
    this.known.set(name, made);
    return made;
  }

  /** Why a coupling cannot be had, or undefined. */
  reasonAgainst(coupling: PaperMethod["coupling"]): string | undefined {
    if (coupling !== "exact" || this.setup.pairs) return undefined;
    return "the pairs of x and r are not known: this generator makes r for the group, or r was shuffled";
  }

  coupling(name: PaperMethod["coupling"]): Promise<Coupling> {
    const { x, r, pairs } = this.setup;
    return this.once(`coupling ${name}`, async () => {
      if (name === "uniform") return uniform(x.rows, r.rows);
      if (name === "exact") {
        const why = this.reasonAgainst(name);
        if (why) throw new ColaError("PAIRS_INVALID", why);
        return exact(pairs!, r.rows);
      }
      if (name === "transport") return transport(squaredEuclidean(x, r), this.work);
      const dense = this.switches.random === "dense";
      return randomCoupling(x.rows, r.rows, { random: this.random.split("random"), dense });
    });
  }

  async proposal({ coupling: name, shapley }: Omit<PaperMethod, "name">): Promise<Proposal> {
    const coupling = await this.coupling(name);
    const { r } = this.setup;
    const q = this.value === "max" ? mostLikely(coupling, r) : average(coupling, r);
    const phi =
      shapley === "RB"
        ? await this.once("RB", () => this.ofTraining())
        : await this.once(`CF ${name}`, () => this.ofReferences(coupling));
    return { phi, q };
  }

  private async ofTraining(): Promise<Matrix> {
    const { set, x, r } = this.setup;
    const count = this.switches.rbBackground === "sample" ? Math.min(r.rows, set.train.rows) : set.train.rows;
    const background = takeRows(set.train, this.random.split("background").sample(set.train.rows, count));
    return this.shapley(x, background, uniform(x.rows, background.rows), true);
  }

  private async ofReferences(coupling: Coupling): Promise<Matrix> {
    const { x, r } = this.setup;
    const dense = coupling.mass.length > 2 * x.rows;
    if (!dense) return this.shapley(x, r, coupling, false);
    const pairs = await this.once("pairs", () => this.allPairs());
    const weights = conditionals(this.switches.background === "support" ? this.support(coupling) : coupling);
    const phi = new Float64Array(x.data.length);
    for (let i = 0; i < x.rows; i++) {
      for (let e = weights.start[i]!; e < weights.start[i + 1]!; e++) {
        const from = (i * r.rows + weights.cols[e]!) * x.cols;
        for (let k = 0; k < x.cols; k++) phi[i * x.cols + k]! += weights.weight[e]! * pairs.data[from + k]!;
      }
    }
    return { data: phi, rows: x.rows, cols: x.cols };
  }

  /** φ(x_i, r_j) of every pair, row i·m + j: Shapley values are linear in the weights of the references. */
  private allPairs(): Promise<Matrix> {
    const { x, r } = this.setup;
    const all = Int32Array.from({ length: x.rows * r.rows }, (_, t) => t);
    const rows = takeRows(
      x,
      all.map((t) => Math.floor(t / r.rows)),
    );
    return this.shapley(
      rows,
      r,
      onePartner(
        "pairs",
        r.rows,
        all.map((t) => t % r.rows),
      ),
      true,
    );
  }

  /** Evenly over the distinct references among 1,000 draws from p(·|i). */
  private support(coupling: Coupling): Coupling {
    const { start, cols, weight } = conditionals(coupling);
    const keep: number[] = [];
    for (let i = 0; i < coupling.n; i++) {
      const own = this.random.split("support", i);
      const held = new Set<number>();
      for (let t = 0; t < SUPPORT_DRAWS; t++) {
        let left = own.next();
        let e = start[i]!;
        while (e < start[i + 1]! - 1 && left >= weight[e]!) left -= weight[e++]!;
        held.add(e);
      }
      keep.push(...[...held].sort((a, b) => a - b));
    }
    const at = Int32Array.from(keep);
    return {
      ...coupling,
      rows: at.map((e) => coupling.rows[e]!),
      cols: at.map((e) => cols[e]!),
      mass: Float64Array.from(at, () => 1 / at.length),
    };
  }

  /** On the score, as in the paper; games averaged over many references may be coarser each. */
  private async shapley(x: Matrix, r: Matrix, coupling: Coupling, many: boolean): Promise<Matrix> {
    const { values } = await pshap(this.setup.model, x, r, coupling, {
      ...this.work,
      space: "score",
      ...(many
        ? { maxEvaluations: 258, tolerance: 0.05, maxEnumeration: 256, exactPlayers: 10 }
        : { maxEvaluations: this.switches.subsets }),
    });
    return values;
  }
}
