import { chmodSync, chownSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AppError, messageOf } from "../../domain/errors.ts";
import { renameDurably } from "../../store/durable-files.ts";
import type { Draft } from "../../config/generated-config.ts";

/**
 * Writes the configuration and the secrets beside it, each whole or not at all, the configuration last: it is not there
 * before what it names is.
 * @throws AppError `cannot-create` when a file is there already and may not be replaced, or cannot be written
 */
export function writeFiles(path: string, { text, secrets }: Draft, mayReplace: boolean): void {
  const folder = dirname(path);
  const files = [
    ...[...secrets].map(([name, secret]) => [join(folder, name), `${secret}\n`] as const),
    [path, text] as const,
  ];
  for (const [file] of files)
    if (!mayReplace && existsSync(file))
      throw new AppError("cannot-create", `${file} is there already`, { hint: "Add --force to replace it." });
  try {
    mkdirSync(folder, { recursive: true, mode: 0o750 });
    for (const [file, content] of files) {
      writeFileSync(`${file}.part`, content, { mode: 0o600 });
      giveToService(`${file}.part`, folder);
      renameDurably(`${file}.part`, file);
    }
  } catch (cause) {
    throw new AppError("cannot-create", `cannot write into ${folder}: ${messageOf(cause)}`, {
      hint: "Run the command as somebody who may write there, or name another file with --config.",
      cause,
    });
  }
}

/** Lets the service's group read what root writes into its folder (/etc/santinela, root:santinela). */
function giveToService(file: string, folder: string): void {
  const { gid } = statSync(folder);
  if (process.getuid?.() !== 0 || gid === 0) return;
  chownSync(file, 0, gid);
  chmodSync(file, 0o640);
}
