import type { Readable, Writable } from "node:stream";

/** Streams and process functions of a command. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Results only, for pipes. */
  readonly stdout: Writable & { readonly isTTY?: boolean };
  /** Progress, warnings and errors. */
  readonly stderr: Writable;
  /** Never prompt (`--no-input`). */
  readonly noInput?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Path of the program's main file. */
  readonly main: string;
  /** Resolves when the process receives SIGTERM or SIGINT. */
  readonly untilSignal: () => Promise<void>;
  /** Calls `reload` for each SIGHUP, and once for earlier ones. */
  readonly onReloadRequested?: (reload: () => void) => void;
  /** Kills the process, for failpoints. */
  readonly kill: () => void;
}

/** Whether prompts are possible: standard input is a terminal and `--no-input` is not given. */
export function isInteractive({ stdin, noInput }: Terminal): boolean {
  return stdin.isTTY === true && noInput !== true;
}

/** Reads a stream to its end as text. */
export async function readAll(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString("utf8");
}
