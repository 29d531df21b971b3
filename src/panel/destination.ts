import { status } from "./live-updates.ts";

/** Whether alarms leave this site: to a dispatch centre or a monitoring receiver. */
export function hasDestination(): boolean {
  const now = status.value;
  return now === undefined || now.link.state !== "none" || (now.monitoring ?? null) !== null;
}
