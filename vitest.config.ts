import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [
      // Those boot machines of their own: npm run test:systemd, npm run test:vm.
      "test/systemd/**",
      "test/vm/**",
      // Those take minutes of a processor: npm run attacks, npm run simulate -- --rules.
      ...(process.env["PROOF_ATTACK_SECONDS"] === undefined ? ["test/attacks/heavy-use.test.ts"] : []),
      ...(process.env["SIMULATE_RULES"] === undefined ? ["test/simulation/disabled-rules.test.ts"] : []),
    ],
    // Processes, brokers and disks on a shared machine: the limits are there to end a hung test, not to time it.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Many tests wait for a process or a browser: one more than there are cores, and no fewer than three.
    maxWorkers: Math.max(3, availableParallelism() + 1),
  },
});
