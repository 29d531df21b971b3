import { Readable, Writable } from "node:stream";
import { expect } from "vitest";
import { runCommandLine } from "../../src/cli/program.ts";
import { MAIN } from "./installation.ts";

export interface CommandOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs one command line in this process.
 * @param cwd its working folder, which has its personal configuration too
 * @param untilAsked ends when somebody presses Ctrl-C: at once, unless a test says otherwise
 */
export async function santinela(
  words: readonly string[],
  cwd: string,
  untilAsked: () => Promise<void> = () => Promise.resolve(),
): Promise<CommandOutcome> {
  const outcome = { stdout: "", stderr: "" };
  const collect = (name: "stdout" | "stderr"): Writable =>
    new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        outcome[name] += chunk.toString();
        done();
      },
    });
  const code = await runCommandLine(words, {
    stdin: Readable.from([]),
    stdout: collect("stdout"),
    stderr: collect("stderr"),
    env: { XDG_CONFIG_HOME: cwd },
    cwd,
    main: MAIN,
    untilAsked,
    kill: () => expect.fail("no failpoint was asked for"),
  });
  return { code, ...outcome };
}
