import { defineConfig } from "vitest/config";

/** The tests that scripts/mutants.mjs has chosen. */
export default defineConfig({
  plugins: [
    {
      name: "processes",
      // Stryker asks for threads, in which native modules such as that of SQLite can crash.
      configureVitest: ({ vitest, project }) => {
        vitest.config.pool = "forks";
        project.config.pool = "forks";
      },
    },
  ],
  test: {
    include: JSON.parse(process.env["MUTANTS_TESTS"] ?? "[]") as string[],
    testTimeout: 20_000,
    maxWorkers: 1,
  },
});
