import { chmodSync, chownSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AppError, messageOf } from "../../domain/errors.ts";
import { renameDurably } from "../../store/durable-files.ts";
import type { Draft } from "../../config/generated-config.ts";

/**
 * Writes the secret files and then the configuration that refers to them, each atomically.
 * @throws AppError `cannot-create` if a file already exists and may not be replaced, or cannot be written
 */
export function writeFiles(path: string, { text, secrets }: Draft, canReplace: boolean): void {
  const folder = dirname(path);
  const files = [
    ...[...secrets].map(([name, secret]) => [join(folder, name), `${secret}\n`] as const),
    [path, text] as const,
  ];
  for (const [file] of files)
    if (!canReplace && existsSync(file))
      throw new AppError("cannot-create", `${file} already exists`, { hint: "Use --force to overwrite it." });
  try {
    mkdirSync(folder, { recursive: true, mode: 0o750 });
    for (const [file, content] of files) {
      writeFileSync(`${file}.part`, content, { mode: 0o600 });
      setServiceGroup(`${file}.part`, folder);
      renameDurably(`${file}.part`, file);
    }
  } catch (cause) {
    throw new AppError("cannot-create", `cannot write into ${folder}: ${messageOf(cause)}`, {
      hint: "Run the command as a user with write permission, or specify another file with --config.",
      cause,
    });
  }
}

/** Makes files written by root readable by the group of the directory (/etc/santinela, root:santinela). */
function setServiceGroup(file: string, folder: string): void {
  const { gid } = statSync(folder);
  if (process.getuid?.() !== 0 || gid === 0) return;
  chownSync(file, 0, gid);
  chmodSync(file, 0o640);
}
