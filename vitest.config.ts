import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/built.ts"],
    setupFiles: ["test/support/setup.ts"],
    // A busy machine may take its time: what is waited for fails when it does not come, not when it is late.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
    pool: "forks",
    maxWorkers: 2,
  },
});
