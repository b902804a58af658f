import { rowOf } from "../../num/matrix.ts";
import { type Ask, type Plan, plans } from "../plans.ts";
import { type Desk, ruleOfRow } from "./desk.ts";
import type { Offers } from "./offers.ts";
import { type Board, dual, priced } from "./price.ts";

/** A coupling with the edits each row makes, and what is proven of their number. */
export interface Choice {
  readonly partner: Int32Array;
  readonly plans: readonly Plan[];
  readonly edits: number;
  readonly bound: number;
  readonly reached: boolean;
}

/**
 * As many rows as possible at the target, with the fewest edits: one assignment in which a row short of the
 * target costs more than all edits, then the proven fewest edits of each row with its partner.
 */
export async function chooseEach(
  desk: Desk,
  offers: readonly (readonly Offers[])[],
  board: Omit<Board, "offers">,
): Promise<Choice> {
  const sharp = await sharpened(desk, offers);
  const real = { ...board, offers: sharp.map((row) => row.map((o) => o.real)) };
  const hoped = { ...board, offers: sharp.map((row) => row.map((o) => o.hoped)) };
  const dear = 1 + board.start.length * desk.mix.groups.length;
  const { partner } = await priced(real, 1, dear, desk.work);
  const found: Plan[] = [];
  for (let i = 0; i < partner.length; i++) found.push(await planOf(desk, i, partner[i]!));
  const served = found.filter(({ status }) => status === "ok").length;
  const best = await priced(hoped, 1, dear, desk.work);
  const bound = best.effect === served ? best.edits : (await dual(hoped, served, desk.work)).bound;
  return {
    partner,
    plans: found,
    edits: found.reduce((sum, { players }) => sum + players.length, 0),
    bound,
    reached: served === found.length,
  };
}

/** The fewest edits with which row i reaches the target from reference j. */
async function planOf(desk: Desk, i: number, j: number): Promise<Plan> {
  const { mix, x, r, work, rule, aim, perRow } = desk;
  const flags = desk.allowed(i);
  const ask: Ask = {
    row: i,
    references: [j],
    cap: rule.distance(rowOf(x.rows, i), rowOf(r.rows, desk.transported[i]!)),
    maxEdits: perRow,
    ...(flags ? { allowed: flags } : {}),
  };
  return (await plans(mix, x, r, [ask], ruleOfRow(desk, i), work, aim.start))[0]!;
}

/** Where the frontier with the transported reference stops short of the target, the search goes on to the end. */
async function sharpened(desk: Desk, offers: readonly (readonly Offers[])[]): Promise<Offers[][]> {
  const out = offers.map((row) => [...row]);
  for (let i = 0; i < out.length; i++) {
    const t = out[i]!.findIndex(({ real }) => real.reference === desk.transported[i]);
    const { real, hoped } = out[i]![t] ?? {};
    if (!real || hoped === real) continue;
    const { status, players, proof } = await planOf(desk, i, real.reference);
    const sure =
      status === "ok"
        ? { ...real, sizes: [0, players.length], effects: [0, 1] }
        : { ...real, sizes: [0], effects: [0] };
    const proven = proof?.claim === "optimal" || proof?.claim === "none exists";
    out[i]![t] = { real: sure, hoped: proven ? sure : hoped! };
  }
  return out;
}
