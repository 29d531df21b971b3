import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Names each test when it ends: the default reporter prints nothing before the end of a file.
    reporters: ["verbose"],
    include: ["test/vm/**/*.test.ts"],
    // A machine without hardware virtualisation under load: the limits end a hung test and do not measure
    // speed.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    fileParallelism: false,
  },
});
