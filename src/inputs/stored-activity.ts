import type { Journal } from "../store/journal.ts";
import type { ReportedState } from "./zone-topics.ts";

/** Whether the journal has what an active topic would have caused. A gate whose state is not stored may be armed. */
export function isActiveIn(journal: Journal, { kind, owner }: ReportedState): boolean {
  switch (kind) {
    case "contact": {
      const stored = journal.stateOf(owner);
      return stored?.contact === "open" || stored?.pending?.contact === "open";
    }
    case "tamper":
    case "battery":
      return journal.faults.find(owner, kind) !== undefined;
    case "availability":
    case "bridge":
      return journal.losses.has(owner);
    case "gate":
      return journal.zoneOverrides.gateState(owner)?.state !== "closed";
  }
}
