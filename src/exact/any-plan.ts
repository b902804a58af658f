import type { Meter } from "./meter.ts";
import type { Found } from "./orthant.ts";
import type { OpenWay } from "./way.ts";

/** Leaves after which a row without a plan is asked whether any number of edits helps, and the share of the rest for that. */
const LONG = 1_000_000;
const SHARE = 1 / 8;

type Plan<W> = Found & { readonly way: W };

/** For a row whose fewest edits take long to find: does any number of edits help? If so, that plan is kept. */
export class AnyPlan<W extends { readonly open: OpenWay }> {
  #looked = false;
  #kept: Plan<W> | undefined;

  /** Is it certain that there is no plan? Asked once, after a long search. */
  hopeless(ways: readonly W[], { used, limit }: Meter, long = LONG): boolean {
    if (this.#looked || used < long) return false;
    this.#looked = true;
    let none = true;
    for (const way of ways) {
      const answer = way.open.attain?.(SHARE * (limit - used)) ?? "open";
      if (typeof answer === "object") this.#kept = { ...answer, way };
      if (this.#kept) return false;
      none &&= answer === "none";
    }
    return none;
  }

  /** The plan that is kept, where it has no more edits than that. */
  within(edits: number): Plan<W> | undefined {
    return this.#kept && this.#kept.features.length <= edits ? this.#kept : undefined;
  }
}
