import { readFileSync } from "node:fs";
import { basename } from "node:path";

/** The disk calls of a program in order, and its network output in between. */
export type DiskCall =
  | { readonly kind: "write"; readonly file: string; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: "truncate"; readonly file: string; readonly size: number }
  | { readonly kind: "unlink"; readonly file: string }
  | { readonly kind: "sync"; readonly file: string }
  /** Bytes sent to a client. */
  | { readonly kind: "told"; readonly text: string };

/** strace options that record these calls. */
export const DISK_TRACE = [
  // Stops only at the selected calls, which is much faster; strace injects no faults in this mode.
  "--seccomp-bpf",
  "-y",
  "-xx",
  "-s",
  "100000",
  "-e",
  "trace=pwrite64,write,writev,ftruncate,unlink,fsync,fdatasync",
] as const;

/** Parses the output of strace. @param isWatched whether the calls of a file are wanted, by its base name */
export function readDiskCalls(path: string, isWatched: (file: string) => boolean): DiskCall[] {
  return completeCalls(path)
    .map((line) => readCall(line, isWatched))
    .filter((call) => call !== undefined);
}

/** The calls in the output of strace, one line each, in the order in which they ended. */
export function completeCalls(path: string): string[] {
  const begun = new Map<string, string>();
  const calls: string[] = [];
  for (const line of readFileSync(path, "latin1").split("\n")) {
    const [, thread = "", rest = ""] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (rest.endsWith("<unfinished ...>")) {
      begun.set(thread, rest.slice(0, -"<unfinished ...>".length).trimEnd());
      continue;
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest);
    calls.push(resumed ? `${begun.get(thread) ?? ""}${resumed[1]}` : rest);
  }
  return calls;
}

function readCall(line: string, isWatched: (file: string) => boolean): DiskCall | undefined {
  const [, name, words = "", answer] = /^(\w+)\((.*)\) += (-?\d+)/.exec(line) ?? [];
  if (name === undefined || Number(answer) < 0) return undefined;
  if (name === "unlink") {
    const file = basename(stringsOf(words)[0]?.toString() ?? "");
    return isWatched(file) ? { kind: "unlink", file } : undefined;
  }
  const target = /^\d+<((?:[^>\\]|\\x[0-9a-f]{2}|\\.)*)>/.exec(words);
  const place = bytesOf(target?.[1] ?? "").toString();
  const file = basename(place);
  const isAnswer = /^(socket|UNIX|TCP|unix|tcp)/i.test(place) && name !== "pwrite64";
  if (!isAnswer && !isWatched(file)) return undefined;
  if (name === "fsync" || name === "fdatasync") return { kind: "sync", file };
  if (name === "ftruncate") return { kind: "truncate", file, size: Number(/, (\d+)$/.exec(words)?.[1]) };
  const text = words.slice(target?.[0].length);
  const bytes = isAnswer ? Buffer.concat(stringsOf(text)) : writtenBytes(text, Number(answer));
  if (name === "pwrite64") return { kind: "write", file, offset: Number(/, (\d+)$/.exec(words)?.[1]), bytes };
  return isAnswer ? { kind: "told", text: bytes.toString() } : undefined;
}

/**
 * The bytes that a call wrote.
 * @param words its arguments behind the file
 * @param count the number of bytes that it has written, as it reported
 * @throws Error if strace shows fewer, because it shortens long ones (its option -s)
 */
export function writtenBytes(words: string, count: number): Buffer {
  const bytes = Buffer.concat(stringsOf(words));
  if (bytes.length < count)
    throw new Error(`strace shows only ${bytes.length} of ${count} bytes that were written`);
  return bytes.subarray(0, count);
}

/** The quoted arguments of a call. */
export function stringsOf(words: string): Buffer[] {
  return [...words.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text = ""]) => bytesOf(text));
}

/** The bytes of a string in the format of `-xx`: each as `\xHH`. */
export function bytesOf(text: string): Buffer {
  return text.includes("\\x") ? Buffer.from(text.replaceAll("\\x", ""), "hex") : Buffer.from(text, "latin1");
}
