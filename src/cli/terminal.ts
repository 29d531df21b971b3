import type { Readable, Writable } from "node:stream";

/** What a command gets from the process that runs it. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Data only, so that it can be piped on. */
  readonly stdout: Writable & { readonly isTTY?: boolean };
  /** Everything else. */
  readonly stderr: Writable;
  /** Nothing may be asked, although somebody may sit there. */
  readonly noInput?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Path of the program's main file. */
  readonly main: string;
  /** Resolves when the process is asked to end. */
  readonly untilSignal: () => Promise<void>;
  /** Calls `reload` each time that the process receives SIGHUP, and once for those before. */
  readonly onReloadAsked?: (reload: () => void) => void;
  /** Ends the process at once, for failpoints. */
  readonly kill: () => void;
}

/** Whether a question can be answered: somebody sits there, and has not said that nothing is to be asked. */
export function isInteractive({ stdin, noInput }: Terminal): boolean {
  return stdin.isTTY === true && noInput !== true;
}

/** Reads a stream to its end, as text. */
export async function readAll(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString("utf8");
}
