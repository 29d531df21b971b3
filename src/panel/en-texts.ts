export { EN_MORE as texts } from "./messages/en-more.ts";
export { withLocalTimes as translateDaemonText } from "./local-times.ts";

/** The messages of conditions are those of the daemon. */
export const sentences = {};
