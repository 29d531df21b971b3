import type { Inputs } from "../inputs/inputs.ts";
import type { MetricsRegistry } from "./metrics-registry.ts";

/** Metrics of the built-in broker and of the receiver for alarm panels. */
export function addInputMetrics(
  registry: MetricsRegistry,
  inputs: Pick<Inputs, "brokerUse" | "alarmPanelUse">,
): void {
  registry.add(
    "santinela_mqtt_broker_limit_total",
    "Number of times each limit of the built-in broker was reached; memory counts disconnected clients.",
    () => (inputs.brokerUse?.limits ?? []).map(({ limit, count }) => [{ limit }, count]),
    ["limit"],
  );
  registry.add(
    "santinela_mqtt_broker_held_bytes",
    "Memory of the built-in broker: queues, subscriptions, unsent data, retained messages, and messages that are not processed yet.",
    () => inputs.brokerUse?.heldBytes,
  );
  registry.add(
    "santinela_dc09_messages_total",
    "Messages of alarm panels by result: acknowledged, repeated or the reason of the rejection; none without a receiver.",
    () => (inputs.alarmPanelUse?.messages ?? []).map(({ result, count }) => [{ result }, count]),
    ["result"],
  );
  registry.add(
    "santinela_dc09_refused_total",
    "Messages and connections of an alarm panel that were refused at a limit, by account.",
    () => (inputs.alarmPanelUse?.refused ?? []).map(({ account, count }) => [{ account }, count]),
    ["account"],
  );
  registry.add(
    "santinela_dc09_silence_seconds",
    "Time since the last accepted message of an alarm panel; since the start before the first.",
    () => (inputs.alarmPanelUse?.silences ?? []).map(({ account, seconds }) => [{ account }, seconds]),
    ["account"],
  );
}
