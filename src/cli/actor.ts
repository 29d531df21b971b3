import { userInfo } from "node:os";
import type { Actor } from "../domain/event.ts";

/** Who types a command, as the event log names it. */
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
