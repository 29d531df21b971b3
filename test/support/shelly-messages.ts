import type { Message } from "./device-scenarios.ts";

/** @param prefix of its topics; its id unless a user has changed it */
export const notified =
  (id: string, method = "NotifyStatus", prefix = id) =>
  (params: object): Message => [
    `${prefix}/events/rpc`,
    { src: id, dst: `${prefix}/events`, method, params: { ts: 1767225600.12, ...params } },
  ];
export const reported = (
  id: string,
  ...events: readonly (readonly [component: string, event: string])[]
): Message =>
  notified(
    id,
    "NotifyEvent",
  )({
    events: events.map(([component, event]) => ({
      component,
      id: Number(component.split(":")[1]),
      event,
      ts: 1767225600.12,
    })),
  });
const MQTT = { enable: true, rpc_ntf: true, status_ntf: false };
export const answers = (
  id: string,
  config: object,
  components: readonly object[] = [],
  mqtt: object = MQTT,
) => ({
  "Shelly.GetDeviceInfo": {
    name: null,
    id,
    mac: id.split("-")[1]?.toUpperCase(),
    gen: 3,
    app: "X",
    ver: "1.7.1",
  },
  "Shelly.GetConfig": { ...config, mqtt, sys: { device: { name: null } } },
  "Shelly.GetComponents": { components, cfg_rev: 1, offset: 0, total: components.length },
});
