import { join } from "node:path";
import { bytesOf, completeCalls, stringsOf, writtenBytes } from "./disk-calls.ts";

/** A call that changes a directory tree or syncs a part of it; paths are relative to the root of the tree. */
export type FolderCall =
  | { readonly kind: "create" | "folder" | "remove" | "sync"; readonly path: string }
  | { readonly kind: "rename" | "link"; readonly path: string; readonly to: string }
  | { readonly kind: "truncate"; readonly path: string; readonly size: number }
  | { readonly kind: "write"; readonly path: string; readonly offset: number; readonly bytes: Buffer }
  | {
      readonly kind: "copy";
      readonly path: string;
      readonly offset: number;
      /** The file that is copied, and the part of it. */
      readonly from: string;
      readonly start: number;
      readonly length: number;
    };

const READ = "openat,ftruncate,write,pwrite64,copy_file_range,fsync,fdatasync,rename,link,unlink,mkdir,rmdir";
/** Calls that change a file as well and would have to be read below. */
const UNREAD =
  "writev,pwritev,pwritev2,sendfile,fallocate,truncate,creat,mkdirat,renameat,renameat2,linkat,unlinkat";

/** strace options that record these calls. */
export const FOLDER_TRACE = [
  "--seccomp-bpf",
  "-y",
  "-xx",
  "-s",
  "100000",
  "-e",
  `trace=${READ},${UNREAD}`,
] as const;

/**
 * Parses the output of strace.
 * @param root the root of the tree, as an absolute path
 * @param isWatched whether the calls of a file or directory are wanted, by its path in the tree
 * @throws Error for a call that changes a watched file in a way unknown here
 */
export function readFolderCalls(
  output: string,
  root: string,
  isWatched: (path: string) => boolean,
): FolderCall[] {
  const positions = new Map<string, number>();
  const within = (path: string): string | undefined => {
    const inside = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path === root ? "" : undefined;
    return inside !== undefined && isWatched(inside) ? inside : undefined;
  };
  return completeCalls(output).flatMap((line) => readCall(line, positions, within));
}

type Within = (path: string) => string | undefined;

function readCall(line: string, positions: Map<string, number>, within: Within): FolderCall[] {
  const [, name = "", words = "", answer = ""] = /^(\w+)\((.*)\) += (-?\d+)/.exec(line) ?? [];
  if (name === "" || Number(answer) < 0) return [];
  const files = [...words.matchAll(/(\d+|AT_FDCWD)<((?:[^>\\]|\\x[0-9a-f]{2})*)>/g)].map(
    ([, number = "", path = ""]) => ({ number, path: within(bytesOf(path).toString()) }),
  );
  if (name === "openat") {
    positions.set(answer, 0);
    return opened(words, within);
  }
  if (["rename", "link", "unlink", "mkdir", "rmdir"].includes(name)) return named(name, words, within);
  const [first, second] = files;
  if (name === "copy_file_range")
    return first && second ? copied(first, second, Number(answer), positions) : [];
  const path = first?.path;
  if (path === undefined || first === undefined) return [];
  if (name === "fsync" || name === "fdatasync") return [{ kind: "sync", path }];
  const last = Number(/, (\d+)$/.exec(words)?.[1]);
  if (name === "ftruncate") return [{ kind: "truncate", path, size: last }];
  if (name !== "write" && name !== "pwrite64")
    throw new Error(`a call that the test does not know: ${line.slice(0, 200)}`);
  const bytes = writtenBytes(words.slice(words.indexOf(">")), Number(answer));
  if (name === "pwrite64") return [{ kind: "write", path, offset: last, bytes }];
  return [{ kind: "write", path, offset: moved(positions, first.number, bytes.length), bytes }];
}

function opened(words: string, within: Within): FolderCall[] {
  const path = within(stringsOf(words)[0]?.toString() ?? "");
  if (path === undefined) return [];
  return [
    ...(words.includes("O_CREAT") ? [{ kind: "create", path } as const] : []),
    ...(words.includes("O_TRUNC") ? [{ kind: "truncate", path, size: 0 } as const] : []),
  ];
}

function named(name: string, words: string, within: Within): FolderCall[] {
  const [path, to] = stringsOf(words).map((text) => within(join(text.toString())));
  if (path === undefined) return [];
  if (name === "rename" || name === "link") return to === undefined ? [] : [{ kind: name, path, to }];
  return [{ kind: name === "mkdir" ? "folder" : "remove", path }];
}

interface OpenFile {
  readonly number: string;
  readonly path: string | undefined;
}

function copied(from: OpenFile, to: OpenFile, length: number, positions: Map<string, number>): FolderCall[] {
  // A whole file is copied from its start, so both positions are the same.
  const offset = moved(positions, to.number, length);
  if (to.path === undefined) return [];
  if (from.path === undefined) throw new Error(`${to.path} is copied from a file that is not watched`);
  return [{ kind: "copy", path: to.path, offset, from: from.path, start: offset, length }];
}

/** Moves the position of an open file. @returns the position before */
function moved(positions: Map<string, number>, number: string, length: number): number {
  const before = positions.get(number) ?? 0;
  positions.set(number, before + length);
  return before;
}
