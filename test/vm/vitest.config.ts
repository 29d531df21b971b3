import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/vm/**/*.test.ts"],
    // A machine without hardware virtualisation under load: the limits end a hung test and do not measure
    // speed.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    fileParallelism: false,
  },
});
