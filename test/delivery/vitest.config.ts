import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/delivery/**/*.test.ts"],
    // A container that boots on a busy machine: the limits end a hung test and do not measure speed.
    testTimeout: 400_000,
    hookTimeout: 400_000,
    fileParallelism: false,
  },
});
