// Plays the simulation of the sync with any number of seeds: npm run simulate -- --seeds 2000 --from 1
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { seeds: { type: "string", default: "2000" }, from: { type: "string", default: "1" } },
});
const { status } = spawnSync(
  process.execPath,
  ["node_modules/vitest/vitest.mjs", "run", "test/simulation/simulation.test.ts"],
  {
    cwd: new URL("..", import.meta.url),
    stdio: "inherit",
    env: { ...process.env, SIMULATE_SEEDS: values.seeds, SIMULATE_FROM: values.from },
  },
);
process.exit(status ?? 1);
