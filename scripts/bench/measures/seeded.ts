import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { launch } from "../contenders/contender.ts";
import { santinela } from "../contenders/santinela.ts";
import { SOURCE } from "../paths.ts";
import type { Ground } from "../plan.ts";

/** By the number of rows: a million take minutes, and more than one measure needs them. */
const folders = new Map<number, string>();

/**
 * An installation of the product with a number of records, not running.
 * @returns its folder, the same one for each call
 */
export async function seeded(ground: Ground, rows: number): Promise<string> {
  const known = folders.get(rows);
  if (known !== undefined) return known;
  const folder = ground.folder.folder("seeded");
  ground.tell(`  filling an installation with ${rows} records`);
  // The first start makes the database, the objectives and the account.
  const fresh = await launch(santinela, { children: ground.children, folder, environment: {} });
  await fresh.child.end();
  const file = join(folder, "data", "santinela.db");
  await promisify(execFile)(process.execPath, [join(SOURCE, "seed.mjs"), file, String(rows)], {
    signal: ground.signal,
  });
  folders.set(rows, folder);
  return folder;
}
