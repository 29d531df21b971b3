import type { MetricsRegistry } from "./metrics-registry.ts";
import type { StatusView } from "./status-view.ts";

/**
 * Adds the metrics of the transmitter to monitoring receivers.
 * @param nowMs returns the wall clock, milliseconds since 1970
 */
export function addMonitoringMetrics(
  registry: MetricsRegistry,
  status: () => Pick<StatusView, "monitoring">,
  nowMs: () => number,
): void {
  registry.add(
    "santinela_transmissions_waiting",
    "Events without an acknowledgement of a monitoring receiver; no sample without a receiver.",
    () => status().monitoring?.waiting,
  );
  registry.add(
    "santinela_transmissions_oldest_age_seconds",
    "Age of the oldest event without an acknowledgement; 0 if none waits, no sample without a receiver.",
    () => {
      const { monitoring } = status();
      if (monitoring === null) return undefined;
      const { oldestWaitingAt } = monitoring;
      return oldestWaitingAt === null ? 0 : Math.max(0, (nowMs() - Date.parse(oldestWaitingAt)) / 1000);
    },
  );
  registry.add(
    "santinela_monitoring_receiver_up",
    "Whether a monitoring receiver replies; no sample before the first reply.",
    () =>
      (status().monitoring?.receivers ?? [])
        .filter(({ state }) => state !== "unknown")
        .map(({ address, state }) => [{ receiver: address }, Number(state === "up")]),
    ["receiver"],
  );
}
