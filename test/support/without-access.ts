import { chmodSync } from "node:fs";

/** Owner and group of nothing: who `withoutAccess` is if the tests run as root. */
export const UNPRIVILEGED = 65_534;

/**
 * Runs `act` as a user who may not look into `folder`, as others may not look into /etc/santinela. Root, who may, is another user
 * meanwhile; modules that `act` loads must be readable for it.
 */
export async function withoutAccess<T>(folder: string, act: () => Promise<T>): Promise<T> {
  const isRoot = process.getuid?.() === 0;
  chmodSync(folder, isRoot ? 0o700 : 0o000);
  if (isRoot) {
    process.setegid?.(UNPRIVILEGED);
    process.seteuid?.(UNPRIVILEGED);
  }
  try {
    return await act();
  } finally {
    if (isRoot) {
      process.seteuid?.(0);
      process.setegid?.(0);
    }
    chmodSync(folder, 0o700);
  }
}
