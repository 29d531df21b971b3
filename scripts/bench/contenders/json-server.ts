import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../paths.ts";
import type { Contender } from "./contender.ts";
import { peerFile, peerMissing } from "./peer-packages.ts";

const PROGRAM = peerFile("json-server", "lib", "cli", "bin.js");

/** It holds everything in memory and rewrites its whole file at each change, without a flush. */
export const jsonServer: Contender = {
  name: "json-server",
  missing: () => peerMissing("json-server"),
  async prepare({ folder, environment }) {
    const port = await freePort();
    const file = join(folder, "records.json");
    if (!existsSync(file)) writeFileSync(file, '{ "interventii": [] }\n');
    return {
      port,
      launch: {
        command: process.execPath,
        args: [PROGRAM, file, "--host", "127.0.0.1", "--port", String(port), "--quiet"],
        logFile: join(folder, "log"),
        environment,
      },
      token: () => Promise.resolve(""),
    };
  },
};
