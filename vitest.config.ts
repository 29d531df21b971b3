import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Those boot machines of their own: npm run test:systemd, npm run test:vm.
    exclude: ["test/systemd/**", "test/vm/**"],
    // Processes, brokers and disks on a shared machine: the limits are there to end a hung test, not to time it.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
