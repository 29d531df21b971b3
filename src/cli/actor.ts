import { userInfo } from "node:os";
import type { Actor } from "../domain/event.ts";

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
