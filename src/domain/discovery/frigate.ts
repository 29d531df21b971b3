import type { Availability } from "../../generated/types.ts";
import {
  devicesUpToLimit,
  type DiscoveredDevice,
  type DiscoverySource,
  type Messages,
  type ReceivedMessage,
  type Proposal,
} from "./device.ts";
import type { Doubt } from "./doubt.ts";
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
/** A switch that only releases with reviews have. */
const REVIEW_SWITCH = /\/review_(?:alerts|detections)\/state$/;
/** The first release with reviews. */
const REVIEWS_SINCE = [0, 14] as const;

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
  const isStatistics = topic.endsWith("/stats");
  const listed = fieldOf(json, "cameras");
  // Until release 0.12 the cameras were at the top of the statistics, beside the detectors.
  const isOldForm = isStatistics && listed === undefined;
  const cameras = topic.endsWith("/camera_activity") || isOldForm ? json : listed;
  if (!isFields(cameras)) return [];
  const isCamera = (name: string): boolean =>
    textOf(name) !== undefined &&
    isFields(cameras[name]) &&
    (!isOldForm || fieldOf(cameras[name], "camera_fps") !== undefined);
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
  const sources = sourcesOf(prefix, below, messages);
  const has = (topic: string): boolean => messageAt(messages, topic) !== undefined;
  const availabilityOf = (camera: string): Availability | undefined => {
    const [status, detect] = [`${prefix}/${camera}/status/detect`, `${prefix}/${camera}/detect/state`];
    if (has(status)) return { mqtt: status, up: ["online"], down: ["offline", "disabled"] };
    return has(detect) ? { mqtt: detect, up: ["ON"], down: ["OFF"] } : undefined;
  };
  const cameras = [...new Set(names)].sort();
  if (cameras.length > CAMERAS_MAX) onLeftOut("cameras", CAMERAS_MAX);
  return cameras.slice(0, CAMERAS_MAX).map((camera) => ({
    id: `${prefix}/${camera}`,
    source: "frigate" as const,
    name: camera,
    model: "Frigate",
    topics: [`${prefix}/${camera}`],
    proposals: sources.map((source) => proposalFor(camera, prefix, source, availabilityOf(camera))),
  }));
}

/** What a camera's zone can be read from. */
interface CameraSource {
  readonly topic: "reviews" | "events";
  readonly doubts: readonly Doubt[];
}

/**
 * Reviews, which releases before 0.14 do not have: a zone on them would never trip. Where the release is not known, or none of
 * its reviews has come yet and events have, both are proposed.
 */
function sourcesOf(
  prefix: string,
  below: readonly ReceivedMessage[],
  messages: Messages,
): readonly CameraSource[] {
  const has = (topic: string): boolean => messageAt(messages, `${prefix}/${topic}`) !== undefined;
  const service = fieldOf(messageAt(messages, `${prefix}/stats`)?.json, "service");
  const isOfRelease = hasReviewsIn(textOf(fieldOf(service, "version")));
  if (isOfRelease === false) return [{ topic: "events", doubts: [] }];
  const isKnown =
    isOfRelease === true || has("camera_activity") || below.some(({ topic }) => REVIEW_SWITCH.test(topic));
  if (has("reviews") || (isKnown && !has("events"))) return [{ topic: "reviews", doubts: [] }];
  const doubts: Doubt[] = [{ code: "frigate-release" }];
  return [
    { topic: "reviews", doubts },
    { topic: "events", doubts },
  ];
}

/** Undefined for a version that cannot be read. */
function hasReviewsIn(version: string | undefined): boolean | undefined {
  const [, major, minor] = /^v?(\d{1,4})\.(\d{1,4})/.exec(version ?? "") ?? [];
  if (major === undefined || minor === undefined) return undefined;
  const [sinceMajor, sinceMinor] = REVIEWS_SINCE;
  return Number(major) > sinceMajor || (Number(major) === sinceMajor && Number(minor) >= sinceMinor);
}

/** Older releases report only whether detection is switched on, which stays so while the camera fails. */
function availabilityDoubts(availability: Availability | undefined): Doubt[] {
  return availability?.mqtt?.endsWith("/detect/state") === true ? [{ code: "frigate-availability" }] : [];
}

function proposalFor(
  camera: string,
  prefix: string,
  { topic, doubts }: CameraSource,
  availability: Availability | undefined,
): Proposal {
  const where: NonNullable<Proposal["input"]["where"]> =
    topic === "reviews"
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
  return {
    name: doubts.length === 0 ? camera : `${camera} ${topic}`,
    kind: "motion",
    input: {
      mqtt: `${prefix}/${topic}`,
      where,
      path: "/type",
      open: ["new", "update"],
      normal: ["end"],
      dedupe: { path: "/after/id" },
    },
    autoRestoreS: RESTORE_S,
    device: camera,
    ...(availability && { availability }),
    bridge: { mqtt: `${prefix}/available`, up: ["online"], down: ["offline", "stopped"] },
    doubts: [...doubts, ...availabilityDoubts(availability)],
  };
}
