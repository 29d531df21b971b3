import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { messageOf } from "../domain/errors.ts";

/** logind answers at once; without an answer the daemon goes on monitoring before the watchdog of systemd (30 s) ends it. */
const ANSWER_MS_MAX = 10_000;

/**
 * Asks systemd to power this machine off, without a shell and as the user of the daemon: the machine's own rules decide
 * whether it may.
 * @returns why it was refused; undefined once the machine is being powered off
 */
export async function powerOffMachine(): Promise<string | undefined> {
  try {
    await promisify(execFile)("systemctl", ["--no-ask-password", "poweroff"], { timeout: ANSWER_MS_MAX });
    return undefined;
  } catch (error) {
    const { stderr } = error as { readonly stderr?: string };
    return stderr?.trim() || messageOf(error);
  }
}
