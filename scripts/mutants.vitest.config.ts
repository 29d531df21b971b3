import { configDefaults, defineConfig } from "vitest/config";

const chosen = process.env["MUTANTS_TESTS"];

/** The tests that run a module in their own process; a mutant runs with each test that reaches it. */
export default defineConfig({
  test: {
    include:
      chosen === undefined
        ? ["test/{domain,inputs,sync,store,threads}/**/*.test.ts"]
        : (JSON.parse(chosen) as string[]),
    exclude: [
      ...configDefaults.exclude,
      // These start a broker or the built program, which has no mutants, or wait for real time.
      "test/inputs/{home-assistant,mqtt-*,silent-broker}.test.ts",
      "test/store/durable-reads.test.ts",
      "test/threads/{heap-limits,records-thread}.test.ts",
    ],
    testTimeout: 20_000,
    maxWorkers: 1,
  },
});
