import type { Work } from "../budget.ts";

/** The work of one call, reported in rows attributed. */
export interface Pace {
  /** For the scorer: its pauses report rows attributed too, not rows scored. */
  readonly work: Work;
  /** Rows that are complete. */
  done: number;
  /** Yields when the slice of time is used up; call it now and then. */
  due(): boolean;
  pause(): Promise<void>;
}

export function paceOf(work: Work, rows: number): Pace {
  const pause = (): Promise<void> => work.pause(pace.done, rows);
  const reporting: Work = {
    ...work,
    pause,
    get modelRows() {
      return work.modelRows;
    },
  };
  const pace: Pace = { work: reporting, done: 0, due: work.due, pause };
  return pace;
}
