import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig, type TestProjectConfiguration } from "vitest/config";

/** Random runs, faults and floods, and most files that take more than 6 seconds beside others: npm run test:long. */
const LONG = [
  ...["faults", "promise", "simulation", "attacks", "fleet"].map((folder) => `test/${folder}/**/*.test.ts`),
  "test/**/*.long.test.ts",
];

/** The tests of the API that run over PostgreSQL too, where it is installed; scripts/test-deps.sh names what is missing. */
const HAS_POSTGRES =
  existsSync("/usr/lib/postgresql") ||
  process.env["TEST_POSTGRES_BIN"] !== undefined ||
  process.env["CI"] === "true";
const OVER_BOTH =
  "access clients decisions enrolment failures fleet interface model openapi old-keys site-filter site-scope site-sign-in".split(
    " ",
  );
const OVER_POSTGRES = HAS_POSTGRES
  ? [...OVER_BOTH.map((name) => `test/http/${name}.test.ts`), "test/site/accounts.test.ts"]
  : [];
const LONG_OVER_POSTGRES = HAS_POSTGRES
  ? [
      ..."event-log many-sites objective-lists password-guessing"
        .split(" ")
        .map((name) => `test/http/${name}.long.test.ts`),
      "test/panel/centre-database.long.test.ts",
      "test/service/silence-watch.long.test.ts",
    ]
  : [];

/** @returns a project whose files run over one PostgreSQL server */
const overPostgres = (name: string, include: readonly string[]): TestProjectConfiguration => ({
  extends: true,
  test: {
    name,
    isolate: false,
    include: [...include],
    env: { TEST_DATABASE: "postgres" },
    globalSetup: HAS_POSTGRES ? ["test/support/postgres-for-all.ts"] : [],
  },
});

export default defineConfig({
  test: {
    // Processes, brokers and disks on a shared machine: the limits are there to end a hung test, not to time it.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A failed comparison of a long text shows the whole text.
    chaiConfig: { truncateThreshold: 0 },
    // Many tests wait for a process or a browser: one more than there are cores.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        extends: true,
        test: {
          name: "main",
          // One process for many files: to load the modules again for each of them took a third of the time.
          isolate: false,
          include: ["test/**/*.test.ts"],
          // These boot machines or servers of their own: npm run test:systemd, test:release, test:vm, test:failover, test:centre-guide.
          exclude: [
            ...LONG,
            "test/systemd/**",
            "test/delivery/**",
            "test/vm/**",
            "test/failover/**",
            "test/guide/**",
            // The program of 0.1.0 is built from history: npm run upgrade-fixture.
            ...(process.env["UPGRADE_FIXTURE_MAIN"] === undefined ? ["test/upgrade/return.test.ts"] : []),
          ],
        },
      },
      overPostgres("postgres", OVER_POSTGRES),
      overPostgres("postgres-long", LONG_OVER_POSTGRES),
      {
        extends: true,
        test: {
          name: "long",
          include: LONG,
          exclude: [
            // Every screen in every state and look: npm run panel-states.
            ...(process.env["PANEL_STATES"] === undefined ? ["test/panel/states.long.test.ts"] : []),
            // Takes minutes of a processor: npm run simulate -- --rules.
            ...(process.env["SIMULATE_RULES"] === undefined
              ? ["test/simulation/disabled-rules.test.ts"]
              : []),
          ],
        },
      },
    ],
  },
});
