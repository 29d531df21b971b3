import type { FolderCall } from "./folder-calls.ts";

/** Which of the changes without a completed sync the disk kept at the power cut. */
export type FolderSurvival = "only what was synced" | "everything" | "names without content" | "some of it";
export const FOLDER_SURVIVALS: readonly FolderSurvival[] = [
  "only what was synced",
  "everything",
  "names without content",
  "some of it",
];

interface Write {
  readonly offset: number;
  readonly bytes: Buffer;
}
type Change = Write | { readonly size: number };

/** A file, by any of its names: the content that the disk certainly has, and the changes on the way. */
class Inode {
  safe: Buffer;
  now: Buffer;
  changes: Change[] = [];

  constructor(bytes: Buffer) {
    this.safe = bytes;
    this.now = bytes;
  }

  change(change: Change): void {
    this.now = changed(this.now, change);
    this.changes.push(change);
  }

  sync(): void {
    this.safe = this.now;
    this.changes = [];
  }
}

type Names = Map<string, Inode>;
type NameChange = (names: Names) => void;

/**
 * A directory tree on a disk after the calls of a program. The names change in their order, and any sync makes all
 * earlier changes of names durable, as on file systems with an ordered journal (ext4, xfs, btrfs). The content of a
 * file is durable after a sync of this file only.
 */
export class CrashFolders {
  readonly #now: Names;
  readonly #safe: Names;
  #nameChanges: NameChange[] = [];

  /** @param tree the files at the start, by path; all durable */
  constructor(tree: ReadonlyMap<string, Buffer>) {
    this.#now = new Map([...tree].map(([path, bytes]) => [path, new Inode(bytes)]));
    this.#safe = new Map(this.#now);
  }

  /** Applies the next call. */
  take(call: FolderCall): void {
    const { kind, path } = call;
    if (kind === "sync") {
      for (const change of this.#nameChanges) change(this.#safe);
      this.#nameChanges = [];
      this.#now.get(path)?.sync();
      return;
    }
    if (kind === "create") {
      const inode = new Inode(Buffer.alloc(0));
      if (!this.#now.has(path)) this.#rename((names) => names.set(path, inode));
    } else if (kind === "rename") this.#rename((names) => renameAll(names, path, call.to));
    else if (kind === "link") this.#rename((names) => setIf(names, call.to, names.get(path)));
    else if (kind === "remove") this.#rename((names) => names.delete(path));
    else if (kind === "truncate") this.#now.get(path)?.change({ size: call.size });
    else if (kind === "write") this.#now.get(path)?.change(call);
    else if (kind === "copy") {
      const bytes = this.#now.get(call.from)?.now.subarray(call.start, call.start + call.length);
      this.#now.get(path)?.change({ offset: call.offset, bytes: bytes ?? Buffer.alloc(0) });
    }
  }

  /** The files as they may be after a power cut now, by path. */
  image(survival: FolderSurvival, random: () => number): Map<string, Buffer> {
    if (survival === "everything") return contents(this.#now, ({ now }) => now);
    if (survival === "only what was synced") return contents(this.#safe, ({ safe }) => safe);
    if (survival === "names without content") return contents(this.#now, ({ safe }) => safe);
    const names = new Map(this.#safe);
    const kept = Math.floor(random() * (this.#nameChanges.length + 1));
    for (const change of this.#nameChanges.slice(0, kept)) change(names);
    return contents(names, ({ safe, changes }) => changes.filter(() => random() < 0.5).reduce(changed, safe));
  }

  #rename(change: NameChange): void {
    change(this.#now);
    this.#nameChanges.push(change);
  }
}

function contents(names: Names, contentOf: (inode: Inode) => Buffer): Map<string, Buffer> {
  return new Map([...names].map(([path, inode]) => [path, contentOf(inode)]));
}

function setIf(names: Names, path: string, inode: Inode | undefined): void {
  if (inode) names.set(path, inode);
}

/** Renames a file, or a directory with all that is in it. Two names of one file stay, as POSIX demands. */
function renameAll(names: Names, from: string, to: string): void {
  if (names.has(from) && names.get(from) === names.get(to)) return;
  const moved = [...names].filter(([path]) => path === from || path.startsWith(`${from}/`));
  for (const [path, inode] of moved) {
    names.delete(path);
    names.set(to + path.slice(from.length), inode);
  }
}

function changed(before: Buffer, change: Change): Buffer {
  if ("size" in change) {
    const after = Buffer.alloc(change.size);
    before.copy(after);
    return after;
  }
  const { offset, bytes } = change;
  const after = Buffer.alloc(Math.max(before.length, offset + bytes.length));
  before.copy(after);
  bytes.copy(after, offset);
  return after;
}
