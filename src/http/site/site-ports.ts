import type { TimelinePort } from "./journal-port.ts";
import type { ObjectivePort } from "./objective-port.ts";
import type { StatusView } from "./status-view.ts";
import type { SyncPort } from "./sync-port.ts";
import type { FieldTestPort } from "./field-test-port.ts";
import type { ZonePort } from "./zone-port.ts";

/** Interfaces between the /site routes and the daemon, one for each subject. */
export interface SitePorts {
  status(): StatusView;
  readonly zones: ZonePort;
  readonly tests: FieldTestPort;
  readonly journal: TimelinePort;
  readonly sync: SyncPort;
  readonly objectives: ObjectivePort;
}
