import { onTestFinished, vi } from "vitest";

/**
 * For the rest of this test every look at the clock takes `ms`, so that long work pauses after as many looks
 * on any machine, however fast. Timers are real.
 */
export function slowClock(ms = 10): void {
  // Whole, so that differences are too.
  let now = Math.floor(performance.now());
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += ms));
  onTestFinished(() => clock.mockRestore());
}
