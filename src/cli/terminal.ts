import { userInfo } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { Actor } from "../domain/event.ts";

/** Streams and process functions of a command. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Results only, for pipes. */
  readonly stdout: Writable & {
    readonly isTTY?: boolean;
    /** Width of a terminal in characters. */
    readonly columns?: number;
  };
  /** Progress, warnings and errors. */
  readonly stderr: Writable;
  /** Never prompt (`--no-input`). */
  readonly noInput?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Path of the program's main file. */
  readonly main: string;
  /** Resolves when the process receives SIGTERM or SIGINT, and when its terminal is closed. */
  readonly untilSignal: () => Promise<void>;
  /** Calls `reload` for each SIGHUP, and once for earlier ones. */
  readonly onReloadRequested?: (reload: () => void) => void;
  /** Kills the process, for failpoints. */
  readonly kill: () => void;
}

/** The output of `--json`. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The operating system user as the actor of an event. */
export function commandLineActor(): Actor {
  return { who: systemUser(), from: "command line" };
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}
