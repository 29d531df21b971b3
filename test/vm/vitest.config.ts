import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/vm/**/*.test.ts"],
    // A machine without hardware help on a busy computer: the limits are there to end a hung test, not to time it.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    fileParallelism: false,
  },
});
