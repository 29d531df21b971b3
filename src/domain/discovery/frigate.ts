import {
  devicesUpToLimit,
  type DiscoveredDevice,
  type DiscoverySource,
  type Messages,
  type ReceivedMessage,
  type Proposal,
} from "./device.ts";
import type { OnLeftOut } from "./left-out.ts";
import { messageAt, messagesBelow } from "./message-index.ts";
import { fieldOf, isFields, textOf } from "./values.ts";

/** More than one server processes. */
const CAMERAS_MAX = 256;
/** A review may have no end, if Frigate is restarted. */
const RESTORE_S = 60;
/** What a camera of an alarm system is for; Frigate verifies faces and couriers as the second. */
const PERSONS: [string, string] = ["person", "person-verified"];
const SHARED = /^(.+)\/(events|reviews)$/;
const DESCRIPTIONS: readonly string[] = ["stats", "camera_activity", "config", "available_objects"];
const DESCRIBING = /^(.+)\/(stats|camera_activity|config|available_objects)$/;
/** Below the prefix. */
const SWITCH = /^([^/]+)\/(?:detect|motion|recordings|snapshots|review_alerts|review_detections)\/state$/;

/** Frigate: the cameras in its statistics, activity and switches, and in its events and reviews. */
export const frigate: DiscoverySource = {
  name: "frigate",
  filters: ["+/available", "+/stats", "+/camera_activity", "+/events", "+/reviews", "+/+/+/state"],
  isAnnouncement: (topic) => DESCRIBING.test(topic) || topic === "frigate/available",
  memberOf: (message) => (SHARED.test(message.topic) ? cameraIn(message) : undefined),
  queries: (messages) =>
    prefixesIn(messages).map((prefix) => ({ topic: `${prefix}/onConnect`, payload: "" })),
  devices: (messages, { onLeftOut = () => {} }) =>
    devicesUpToLimit(
      messagesBelow(messages, prefixesIn(messages)),
      ([prefix, below]) => camerasBelow(prefix, below, messages, onLeftOut),
      onLeftOut,
    ),
};

/** The topic prefixes of all Frigate servers at the broker; `frigate` is the default. */
function prefixesIn(messages: Messages): string[] {
  const prefixes = messages.flatMap((message) => {
    const { topic, json } = message;
    if (topic === "frigate/available") return ["frigate"];
    const shared = SHARED.exec(topic)?.[1];
    if (shared !== undefined) return cameraIn(message) === undefined ? [] : [shared];
    const describing = DESCRIBING.exec(topic)?.[1];
    return describing !== undefined && describedCameras(topic, json).length > 0 ? [describing] : [];
  });
  return [...new Set(prefixes)];
}

function cameraIn({ json }: ReceivedMessage): string | undefined {
  return textOf(fieldOf(fieldOf(json, "after"), "camera"));
}

/** The cameras in a message about all of them. */
function describedCameras(topic: string, json: unknown): string[] {
  const cameras = topic.endsWith("/camera_activity") ? json : fieldOf(json, "cameras");
  if (!isFields(cameras)) return [];
  const isCamera = (name: string): boolean => isFields(cameras[name]) && textOf(name) !== undefined;
  // One more than are listed shows that there are more.
  return Object.keys(cameras)
    .slice(0, CAMERAS_MAX + 1)
    .filter(isCamera);
}

function camerasBelow(
  prefix: string,
  below: readonly ReceivedMessage[],
  messages: Messages,
  onLeftOut: OnLeftOut,
): DiscoveredDevice[] {
  const names = below.flatMap((message) => {
    const { topic, json } = message;
    const rest = topic.slice(prefix.length + 1);
    if (rest === "events" || rest === "reviews") return cameraIn(message) ?? [];
    if (DESCRIPTIONS.includes(rest)) return describedCameras(topic, json);
    return SWITCH.exec(rest)?.[1] ?? [];
  });
  const has = (topic: string): boolean => messageAt(messages, topic) !== undefined;
  // Reviews exist since Frigate 0.14; without any sign of them the older events are used.
  const hasReviews = has(`${prefix}/reviews`) || has(`${prefix}/camera_activity`) || !has(`${prefix}/events`);
  const cameras = [...new Set(names)].sort();
  if (cameras.length > CAMERAS_MAX) onLeftOut("cameras", CAMERAS_MAX);
  return cameras.slice(0, CAMERAS_MAX).map((camera) => ({
    id: `${prefix}/${camera}`,
    source: "frigate" as const,
    name: camera,
    model: "Frigate",
    topics: [`${prefix}/${camera}`],
    proposals: [proposalFor(camera, prefix, { hasReviews, has })],
  }));
}

function proposalFor(
  camera: string,
  prefix: string,
  { hasReviews, has }: { hasReviews: boolean; has: (topic: string) => boolean },
): Proposal {
  const where = hasReviews
    ? [
        { path: "/after/camera", in: [camera] },
        { path: "/after/severity", in: ["alert"] },
        { path: "/after/data/objects", in: PERSONS },
      ]
    : [
        { path: "/after/camera", in: [camera] },
        { path: "/after/label", in: ["person"] },
        { path: "/after/false_positive", not: [true] },
      ];
  const [first, ...others] = where as [(typeof where)[number], ...typeof where];
  const status = `${prefix}/${camera}/status/detect`;
  return {
    name: camera,
    kind: "motion",
    input: {
      mqtt: `${prefix}/${hasReviews ? "reviews" : "events"}`,
      where: [first, ...others],
      path: "/type",
      open: ["new", "update"],
      normal: ["end"],
      dedupe: { path: "/after/id" },
    },
    autoRestoreS: RESTORE_S,
    device: camera,
    ...(has(status) ? { availability: { mqtt: status } } : {}),
    bridge: { mqtt: `${prefix}/available`, up: ["online"], down: ["offline", "stopped"] },
    doubts: [],
  };
}
