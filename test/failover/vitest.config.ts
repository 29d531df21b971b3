import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/failover/**/*.test.ts"],
    // A failover takes up to half a minute: the limits end a hung test and do not measure speed.
    testTimeout: 3_600_000,
    hookTimeout: 300_000,
    fileParallelism: false,
  },
});
