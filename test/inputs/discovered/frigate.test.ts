import { describe, expect, test } from "vitest";
import {
  expectProposed,
  foundIn,
  playSteps,
  proposedFor,
  type Message,
  type Step,
  type DeviceScenario,
} from "../../support/device-scenarios.ts";

/* Frigate servers of several releases, on a quiet day and after the first event. */

const ONLINE: Message = ["frigate/available", "online"];
const camera = {
  camera_fps: 5.1,
  capture_pid: 12,
  detection_fps: 0,
  pid: 13,
  process_fps: 5.1,
  skipped_fps: 0,
};
const stats = (version: string, prefix = "frigate"): Message => [
  `${prefix}/stats`,
  {
    detectors: { cpu: { detection_start: 0, inference_speed: 9.1, pid: 11 } },
    cameras: { curte: camera, poarta: camera },
    service: { uptime: 812, version, latest_version: "0.16.1", storage: {} },
  },
];
const event = (type: string, id: string, more: Record<string, unknown> = {}): Message => [
  "frigate/events",
  {
    type,
    before: { id, camera: "curte", label: "person", false_positive: false },
    after: { id, camera: "curte", label: "person", sub_label: null, false_positive: false, ...more },
  },
];
const review = (type: string, id: string, more: Record<string, unknown> = {}): Message => [
  "frigate/reviews",
  {
    before: { id, camera: "curte", severity: "detection", data: { objects: [] } },
    after: {
      data: { detections: ["1-x"], objects: ["person"], sub_labels: [], zones: [], audio: [] },
      id,
      camera: "curte",
      start_time: 1,
      end_time: null,
      severity: "alert",
      ...more,
    },
    type,
  },
];

const ON_EVENTS: DeviceScenario["steps"] = [
  [event("end", "1-a"), "nothing"],
  [event("new", "2-b", { label: "car" }), "nothing"],
  [event("new", "2-c", { camera: "poarta" }), "nothing"],
  [event("new", "3-d"), "trip"],
  [event("update", "3-d"), "nothing"],
  [event("end", "3-d"), "restore"],
  [event("new", "4-e"), "trip"],
  ["60 s", "restore"],
  [["frigate/available", "offline"], "supervision"],
];
const ON_REVIEWS: DeviceScenario["steps"] = [
  [review("end", "1-a"), "nothing"],
  [review("new", "2-b", { severity: "detection" }), "nothing"],
  [review("update", "2-b", { data: { objects: ["car", "person-verified"] } }), "trip"],
  [review("end", "2-b"), "restore"],
  [["frigate/available", "offline"], "supervision"],
];

const SERVERS: readonly (readonly [title: string, device: DeviceScenario])[] = [
  [
    "of release 0.13 on a quiet day",
    {
      announced: [ONLINE, stats("0.13.2-6476f8a")],
      zone: "curte",
      kind: "motion",
      doubts: [],
      steps: ON_EVENTS,
    },
  ],
  [
    "of release 0.11, whose statistics have the cameras at the top",
    {
      announced: [
        [
          "frigate/stats",
          {
            curte: camera,
            poarta: camera,
            detection_fps: 0,
            detectors: { cpu: { inference_speed: 9 } },
            service: { version: "0.11.1-2eada21", uptime: 4, storage: {} },
          },
        ],
      ],
      zone: "curte",
      kind: "motion",
      doubts: [],
      steps: ON_EVENTS,
    },
  ],
  [
    "of release 0.14 on a quiet day",
    {
      announced: [stats("0.14.1-f4f3cfa"), ONLINE],
      zone: "curte",
      kind: "motion",
      doubts: [],
      steps: ON_REVIEWS,
    },
  ],
  [
    "of a coming release, after its first review and event",
    {
      announced: [ONLINE, stats("1.0.0"), event("new", "9-z"), review("new", "9-y")],
      zone: "curte",
      kind: "motion",
      doubts: [],
      steps: ON_REVIEWS,
    },
  ],
  [
    "that has the switches of reviews and no statistics yet",
    {
      announced: [ONLINE, ["frigate/curte/review_alerts/state", "ON"]],
      zone: "curte",
      kind: "motion",
      doubts: [],
      steps: ON_REVIEWS,
    },
  ],
  ...(["events", "reviews"] as const).map((topic): readonly [string, DeviceScenario] => [
    `of an unknown release, read from ${topic}`,
    {
      announced: [ONLINE, ["frigate/curte/detect/state", "ON"]],
      zone: `curte-${topic}`,
      kind: "motion",
      doubts: ["frigate-release", "frigate-availability"],
      steps: topic === "events" ? ON_EVENTS : ON_REVIEWS,
    },
  ]),
  [
    "that has sent events and no review, although its release has them",
    {
      announced: [ONLINE, stats("0.15.0"), event("new", "1-a")],
      zone: "curte-events",
      kind: "motion",
      doubts: ["frigate-release"],
      steps: ON_EVENTS,
    },
  ],
];

describe("a Frigate server", () => {
  test.each(SERVERS)("%s trips and restores the zone of a camera", (_title, device) =>
    expectProposed(device),
  );

  test.each([
    ["status", "frigate/curte/status/detect", "online", "disabled"],
    ["status, while it cannot be reached", "frigate/curte/status/detect", "online", "offline"],
    ["detection, in a release without a status", "frigate/curte/detect/state", "ON", "OFF"],
  ])("reports a camera that sees nothing by its %s", async (_what, topic, up, down) => {
    const zone = proposedFor({
      announced: [ONLINE, stats("0.15.0"), [topic, up]],
      zone: "curte",
      kind: "motion",
      steps: [],
    });
    const steps: Step[] = [
      [review("end", "1-a"), "nothing"],
      [[topic, up], "nothing"],
      [[topic, down], "supervision"],
    ];
    expect(await playSteps(zone, steps)).toEqual(steps);
  });

  test("with another prefix is found by its statistics, with each camera once", () => {
    const { zones } = foundIn({ announced: [stats("0.15.0", "nvr/curte")] });
    expect(zones.map(({ id, input }) => [id, input.mqtt])).toEqual([
      ["curte", "nvr/curte/reviews"],
      ["poarta", "nvr/curte/reviews"],
    ]);
  });

  test("statistics of another program are no cameras", () => {
    expect(foundIn({ announced: [["router/stats", { wan: { rx: 1 }, service: {} }]] }).devices).toEqual([]);
  });
});
