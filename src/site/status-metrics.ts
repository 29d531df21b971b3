import { CONDITIONS } from "../domain/condition.ts";
import type { StatusView } from "./status-view.ts";
import type { BrokerUse } from "../inputs/built-in-broker.ts";
import { counter, gauge, type MetricFamily } from "../ops/metrics-text.ts";

/** Metrics of conditions and messages. */
export function statusFamilies(status: StatusView): MetricFamily[] {
  return [conditionFamily(status), messageFamily(status)];
}

/** @param use usage of the built-in broker; undefined without one, the metrics then have no samples */
export function brokerFamilies(use: BrokerUse | undefined): MetricFamily[] {
  return [
    counter(
      "santinela_mqtt_broker_limit_total",
      "Number of times each limit of the built-in broker was reached; memory counts disconnected clients.",
      (use?.limits ?? []).map(({ limit, count }) => ({ labels: { limit }, value: count })),
    ),
    gauge(
      "santinela_mqtt_broker_held_bytes",
      "Memory of the built-in broker for its clients: queues, subscriptions and unsent data.",
      use ? [{ value: use.heldBytes }] : [],
    ),
  ];
}

/** The number of topics is limited: further topics share one counter. */
function messageFamily({ messages }: StatusView): MetricFamily {
  return counter(
    "santinela_mqtt_messages_ignored_total",
    "MQTT messages without effect, by topic and reason; see docs/sensors.md.",
    messages.map(({ topic, reason, count }) => ({ labels: { topic, reason }, value: count })),
  );
}

/** Metrics of all conditions, including those that are not open. */
function conditionFamily({ conditions }: StatusView): MetricFamily {
  return gauge(
    "santinela_conditions_open",
    "Open conditions by code; see docs/operating.md.",
    Object.entries(CONDITIONS).map(([code, { severity }]) => ({
      labels: { code, severity },
      value: conditions.filter((condition) => condition.code === code).length,
    })),
  );
}
