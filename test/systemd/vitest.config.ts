import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/systemd/**/*.test.ts"],
    // A machine that boots on a busy computer: the limits are there to end a hung test, not to time it.
    testTimeout: 400_000,
    hookTimeout: 400_000,
    fileParallelism: false,
  },
});
