import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/guide/**/*.test.ts"],
    // Three machines that boot and install packages: the limits end a hung test and do not measure speed.
    testTimeout: 1_800_000,
    hookTimeout: 600_000,
  },
});
