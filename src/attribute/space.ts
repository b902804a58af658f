import type { AttributionSettings } from "./options.ts";
import type { Insight } from "./structured.ts";

export type Space = "score" | "margin";

/** How a game is solved. */
type Method = "closed" | "cube" | "enumerate" | "sample";

/** What decides between the methods. */
export interface Means {
  readonly insight: Insight | undefined;
  readonly restricted: boolean;
  readonly settings: AttributionSettings;
}

/** The cheapest exact method for a game of k players in a space, else `sample`. */
export function methodOf({ insight, restricted, settings }: Means, space: Space, k: number): Method {
  const { exactPlayers, maxEnumeration } = settings;
  if (insight) {
    const additive = space === "margin" || insight.structure.link === "identity";
    if (additive && !restricted) return "closed";
    if (k <= exactPlayers) return "cube";
  }
  return 2 ** k <= maxEnumeration ? "enumerate" : "sample";
}

/**
 * The space of a row (or of all rows) whose largest game has k players: the score where it is exact, else
 * the margin where that is, else the score.
 */
export function spaceOf(means: Means, k: number): Space {
  const { space } = means.settings;
  if (space === "score" || space === "margin") return space;
  if (methodOf(means, "score", k) !== "sample" || !means.insight) return "score";
  return methodOf(means, "margin", k) !== "sample" ? "margin" : "score";
}
