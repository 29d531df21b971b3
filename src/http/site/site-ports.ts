import type { JournalPort } from "./journal-port.ts";
import type { ObjectivePort } from "./objective-port.ts";
import type { StatusView } from "./status-view.ts";
import type { SyncPort } from "./sync-port.ts";
import type { TestPort } from "./test-port.ts";
import type { ZonePort } from "./zone-port.ts";

/** What the /site routes ask of the rest of the daemon, which fills them in: one port for each subject. */
export interface SitePorts {
  status(): StatusView;
  readonly zones: ZonePort;
  readonly tests: TestPort;
  readonly journal: JournalPort;
  readonly sync: SyncPort;
  readonly objectives: ObjectivePort;
}
