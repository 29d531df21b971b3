import type { IncomingHttpHeaders } from "node:http";
import { isStorageError } from "../store/database.ts";
import type { UpstreamCapabilities } from "../store/upstream-capabilities.ts";

/** Response header of a sign-in by which a dispatch centre tells that its 404 distinguishes deleted records from others. */
const DELETIONS_TOLD = "tells-deletions";

/** Stores what a dispatch centre announces with a sign-in. */
export function noteAnnouncements(facts: UpstreamCapabilities, headers: IncomingHttpHeaders): void {
  try {
    facts.noteTellsDeletions(headers[DELETIONS_TOLD] !== undefined);
  } catch (error) {
    // On a full disk the next sign-in tries again.
    if (!isStorageError(error)) throw error;
  }
}
