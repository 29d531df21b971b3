import { configDefaults, defineConfig } from "vitest/config";

const chosen = process.env["MUTANTS_TESTS"];

/** The tests that look at a part within their own process; a mutant is tried with each that comes by it. */
export default defineConfig({
  test: {
    include:
      chosen === undefined
        ? ["test/{domain,inputs,sync,store}/**/*.test.ts"]
        : (JSON.parse(chosen) as string[]),
    exclude: [
      ...configDefaults.exclude,
      // Those start a broker of their own, or wait for real time.
      "test/inputs/{home-assistant,mqtt-*,repeated-messages,silent-broker}.test.ts",
    ],
    testTimeout: 20_000,
    maxWorkers: 1,
  },
});
