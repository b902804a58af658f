import type { Cohort } from "../state/cohort.ts";
import type { Result } from "../state/state.ts";
import type { Studio } from "../studio.ts";

/** A part of the result: it keeps nothing of its own, so leaving it loses nothing. */
export interface PartProps {
  readonly studio: Studio;
  readonly result: Result;
}

export interface CohortProps extends PartProps {
  /** Whom the part is about. */
  readonly cohort: Cohort;
}
