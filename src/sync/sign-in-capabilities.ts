import type { IncomingHttpHeaders } from "node:http";
import { isStorageError } from "../store/database.ts";
import type { UpstreamCapabilities } from "../store/upstream-capabilities.ts";

/** Response header of a sign-in by which a dispatch centre announces that its 404 distinguishes deleted records from others. */
const DELETION_REPORTING_HEADER = "deletion-reporting";

/** Stores what a dispatch centre announces with a sign-in. */
export function storeCapabilities(facts: UpstreamCapabilities, headers: IncomingHttpHeaders): void {
  try {
    facts.noteReportsDeletions(headers[DELETION_REPORTING_HEADER] !== undefined);
  } catch (error) {
    // On a full disk the next sign-in stores it.
    if (!isStorageError(error)) throw error;
  }
}
