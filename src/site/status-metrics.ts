import { CONDITIONS } from "../domain/condition.ts";
import type { StatusView } from "../http/site/status-view.ts";
import type { BrokerUse } from "../inputs/built-in-broker.ts";
import { counter, gauge, type MetricFamily } from "../ops/metrics-text.ts";

/** What the status says, in numbers. */
export function statusFamilies(status: StatusView): MetricFamily[] {
  return [conditionFamily(status), messageFamily(status)];
}

/** @param use of the built-in broker; undefined without one, and then the families have no samples */
export function brokerFamilies(use: BrokerUse | undefined): MetricFamily[] {
  return [
    counter(
      "santinela_mqtt_broker_limit_total",
      "How often each limit of the built-in broker was reached; memory counts clients that were cut off.",
      (use?.limits ?? []).map(({ limit, count }) => ({ labels: { limit }, value: count })),
    ),
    gauge(
      "santinela_mqtt_broker_held_bytes",
      "What the built-in broker holds for its clients: queues, subscriptions and what is to be sent.",
      use ? [{ value: use.heldBytes }] : [],
    ),
  ];
}

/** The counter has few topics by itself: a broad filter may be flooded with more, and those are one. */
function messageFamily({ messages }: StatusView): MetricFamily {
  return counter(
    "santinela_mqtt_messages_ignored_total",
    "MQTT messages that changed nothing, by topic and reason; docs/sensors.md explains the reasons.",
    messages.map(({ topic, reason, count }) => ({ labels: { topic, reason }, value: count })),
  );
}

/** Every condition there is, so that one that has never been open has a line too. */
function conditionFamily({ conditions }: StatusView): MetricFamily {
  return gauge(
    "santinela_conditions_open",
    "Open conditions by code; docs/operating.md explains each one.",
    Object.entries(CONDITIONS).map(([code, { severity }]) => ({
      labels: { code, severity },
      value: conditions.filter((condition) => condition.code === code).length,
    })),
  );
}
