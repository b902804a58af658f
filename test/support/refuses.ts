import { expect } from "vitest";

/** Asserts that a law breaks by one of its own assertions, not by an accident on the way. */
export async function refuses(law: () => unknown): Promise<void> {
  let thrown: unknown;
  try {
    await law();
  } catch (error) {
    thrown = error;
  }
  while (thrown instanceof Error && thrown.cause instanceof Error) thrown = thrown.cause;
  expect(thrown, "the mutant was let through").toBeInstanceOf(Error);
  expect((thrown as Error).name, String(thrown)).toBe("AssertionError");
}
