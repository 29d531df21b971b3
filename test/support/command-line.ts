import { Readable, Writable } from "node:stream";
import { expect } from "vitest";
import { runCommandLine } from "../../src/cli/program.ts";
import type { Terminal } from "../../src/cli/terminal.ts";
import { MAIN } from "./installation.ts";

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command in this process, with standard input from a pipe and the user configuration in `cwd`. */
export async function santinela(
  words: readonly string[],
  { cwd, input = "", ...more }: { cwd: string; input?: string } & Partial<Terminal>,
): Promise<Outcome> {
  const outcome = { stdout: "", stderr: "" };
  const collect = (name: "stdout" | "stderr") =>
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        outcome[name] += chunk.toString();
        done();
      },
    });
  const code = await runCommandLine(words, {
    stdin: Readable.from([Buffer.from(input)]),
    stdout: collect("stdout"),
    stderr: collect("stderr"),
    env: { XDG_CONFIG_HOME: cwd },
    cwd,
    main: MAIN,
    untilSignal: () => Promise.resolve(),
    kill: () => expect.fail("no failpoint was asked for"),
    ...more,
  });
  return { code, ...outcome };
}
