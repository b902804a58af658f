/** What the searches of one row count. */
export interface Meter {
  /** Leaves looked at. */
  used: number;
  /** Leaves after which the search ends; what comes before and after it has no limit. */
  limit: number;
  readonly pulse: (() => void) | undefined;
  next: number;
}

/** Thrown when the effort is used up, or there is more to keep than may be kept. */
export const SPENT = Symbol("the effort is used up");

const PULSE = 2_000_000;

export function spend(meter: Meter, leaves: number): void {
  meter.used += leaves;
  if (meter.used < meter.next) return;
  if (meter.used > meter.limit) throw SPENT;
  meter.pulse?.();
  meter.next = Math.min(meter.used + PULSE, meter.limit + 1);
}
