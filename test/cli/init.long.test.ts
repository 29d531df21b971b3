import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import { connectAsync } from "mqtt";
import { beforeEach, describe, expect, test } from "vitest";
import { loadConfiguration } from "../../src/config/load.ts";
import { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import { AlarmPanel } from "../support/alarm-panel.ts";
import { AnnouncingDevices } from "../support/announcing-devices.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/loopback.ts";
import { describeWithMosquitto, startMosquitto } from "../support/mosquitto.ts";
import { MAIN } from "../support/built-program.ts";
import { buildingsYaml, EDGE, Installation, pause, startCentre } from "../support/installation.ts";
import { santinela, type Outcome } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, "etc", "site.yaml");
});

const init = (...more: string[]): Promise<Outcome> =>
  santinela(["init", "--config", file, ...more], { cwd: folder });

function answers(text: string): string {
  writeFileSync(join(folder, "answers.yaml"), text);
  return join(folder, "answers.yaml");
}

/** What a user types when the last line matches; nothing is sent for undefined. */
type Reply = readonly [question: RegExp, reply: string | ((output: string) => string | void)];

const UNTIL_THE_CENTRE: readonly Reply[] = [
  [/Name of the site/, "Hala Nord"],
  [/short reference/, ""],
  [/Time zone/, ""],
  [/Language/, ""],
  [/Access to the local API/, ""],
];
const atBroker = (url: string): readonly Reply[] => [
  [/MQTT broker/, "external"],
  [/URL of the broker/, url],
  [/User name/, ""],
  [/IP alarm panel/, ""],
];
/** The offered objective, and no administrator. */
const USUAL_OBJECTIVE: readonly Reply[] = [
  [/Objective type/, ""],
  [/Id of the objective/, ""],
  [/Name of the objective/, ""],
  [/initial administrator/, ""],
];

/** A zone on a topic that is entered by hand, after its input was chosen. */
const HALL_DOOR: readonly Reply[] = [
  [/Name of the zone/, "Hall door"],
  [/Short id/, ""],
  [/Zone type/, ""],
  [/MQTT topic/, "hall/door"],
  [/Path of the value/, ""],
  [/means open/, "ON"],
  [/means normal/, "OFF"],
  ...USUAL_OBJECTIVE,
];

/** Simulates a user at a terminal who answers each question. */
async function person(
  replies: readonly Reply[],
  env: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
): Promise<Outcome> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const left = [...replies];
  let output = "";
  const stderr = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      output += chunk.toString();
      const lastLine = output.split("\n").slice(-2).join("\n");
      if (left[0]?.[0].test(lastLine)) {
        output += "\n";
        const reply = left.shift()?.[1];
        const line = typeof reply === "function" ? reply(output) : reply;
        if (line !== undefined) stdin.write(`${line}\n`);
      }
      done();
    },
  });
  const never = new Promise<void>(() => {});
  const outcome = await santinela(["init", "--config", file, ...options], {
    cwd: folder,
    stdin,
    stderr,
    env: { XDG_CONFIG_HOME: folder, ...env },
    untilSignal: () => never,
  });
  expect(left.map(([question]) => question)).toEqual([]);
  return { ...outcome, stderr: output };
}

describe("init on a terminal", () => {
  test.each([
    ["site-0123456789", "hala-nord"],
    ["nord-2", "nord-2"],
  ])("offers what the replaced file of the package says, with the reference %s", async (before, after) => {
    mkdirSync(dirname(file));
    writeFileSync(
      file,
      `site: { name: Nord, ref: ${before}, timezone: Europe/Paris, locale: en }\nhttp: { host: 0.0.0.0, tls: own, configuration: panel }\n`,
    );
    const replies: readonly Reply[] = [
      [/Name of the site/, "Hala Nord"],
      [/short reference/, ""],
      [/Time zone.*\[Europe\/Paris\]/, ""],
      [/Language.*\[en\]/, ""],
      [/Access to the local API.*\[network\]/, ""],
      [/dispatch centre/, ""],
      [/MQTT broker/, "off"],
      [/IP alarm panel/, ""],
      [/Input of the first zone/, "none"],
      [/initial administrator/, "ana@example.ro"],
      [/Password of the administrator/, "correct horse battery"],
      [/Repeat the password/, "correct horse battery"],
    ];
    expect((await person(replies, {}, ["--force"])).code).toBe(0);
    expect(loadConfiguration({ file, env: {}, cwd: "/" })).toMatchObject({
      site: { ref: after, timezone: "Europe/Paris", locale: "en" },
      http: { host: "0.0.0.0", configuration: "panel" },
    });
  });

  test("goes from an empty directory to a zone that has tripped", async () => {
    const { code, stdout, stderr } = await person([
      [/Name of the site/, "Hala Nord"],
      [/short reference.*\[hala-nord\]/, ""],
      [/Time zone/, "Mars/Olympus"],
      [/not an IANA time zone[^]*Time zone/, "Europe/Bucharest"],
      [/Language/, ""],
      [/Access to the local API/, ""],
      [/dispatch centre/, "yes"],
      [/URL of the dispatch centre/, "http://127.0.0.1:9"],
      [/E-mail address of the site's account/, "hala@example.ro"],
      [/Password of that account/, "zaporojan fără frică"],
      [/MQTT broker/, "off"],
      [/IP alarm panel.*\(yes, no\) \[no\]/, ""],
      [/Input of the first zone/, ""],
      [/Name of the zone/, "Ușa principală"],
      [/Short id.*\[usa-principala\]/, ""],
      [/Zone type/, ""],
      [/Objective type/, ""],
      [/Id of the objective/, "12"],
      [/Name of the objective.*\[Hala Nord\]/, ""],
      [/initial administrator/, "ana@example.ro"],
      [/Password of the administrator/, "correct horse battery"],
      [/Repeat the password/, "correct horse baterry"],
      [/passwords differ[^]*Password of the administrator/, "correct horse battery"],
      [/Repeat the password/, "correct horse battery"],
      [/Enter the dispatch centre again, or keep it/, "keep"],
      [/Test usa-principala now/, ""],
      [/press Enter to trip it/, ""],
    ]);
    expect(stderr).not.toMatch(/zaporojan|correct horse/);
    expect(stderr).toMatch(/testing the dispatch centre[^]*Centre.*127\.0\.0\.1:9/);
    expect(stdout).toMatch(
      /added ana@example\.ro as administrator\n.*Ușa principală tripped[^]*Start it: node \S+main\.js serve/,
    );
    expect(code).toBe(0);

    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, "etc")).sort()).toEqual(["centre.password", "site.yaml", "var"]);
    expect(statSync(join(folder, "etc", "centre.password")).mode & 0o777).toBe(0o600);
    expect(loadConfiguration({ file, env: {}, cwd: "/" })).toMatchObject({
      site: { name: "Hala Nord", ref: "hala-nord", timezone: "Europe/Bucharest" },
      upstream: { baseUrl: "http://127.0.0.1:9", password: "zaporojan fără frică" },
      zones: [{ id: "usa-principala", name: "Ușa principală", objective: { id: 12 } }],
      warnings: [],
    });
  });

  test("receives the alarms of an IP alarm panel with a new key, without a zone of its own", async () => {
    const port = await freePort();
    const { code, stderr, stdout } = await person([
      [/Name of the site/, "Hala Nord"],
      [/short reference/, ""],
      [/Time zone/, ""],
      [/Language/, "en"],
      [/Access to the local API/, ""],
      [/dispatch centre/, ""],
      [/MQTT broker/, "off"],
      [/IP alarm panel/, "yes"],
      [/Port for the alarm panel.*\[12128\]/, "70000"],
      [/number from 1 to 65535[^]*Port for/, String(port)],
      [/Account/, "12"],
      [/3 to 16 hexadecimal digits[^]*Account/, "abc1"],
      [/Encryption; without it.*\[yes\]/, ""],
      [/Encryption key.*empty to generate one: /, "too short"],
      [/must have 32, 48 or 64[^]*Encryption key/, ""],
      [/supervision messages.*\[60\]/, ""],
      [/Input of the first zone.*\[none\]/, ""],
      [/Objective type/, ""],
      [/Id of the objective/, "12"],
      [/Name of the objective/, ""],
      [/initial administrator/, ""],
    ]);
    const keyFile = join(folder, "etc", "panel.key");
    const key = readFileSync(keyFile, "utf8").trim();
    expect(key).toMatch(/^[0-9A-F]{32}$/);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(stderr).toMatch(
      new RegExp(
        `enter at the alarm panel[^]*port ${port}, TCP or UDP[^]*account: ABC1\n[^]*key in ${keyFile}\n`,
      ),
    );
    expect(stdout + stderr).not.toContain(key);
    expect(code).toBe(0);
    const config = loadConfiguration({ file, env: {}, cwd: "/" });
    expect(config.dc09).toMatchObject({
      host: "0.0.0.0",
      port,
      accounts: [{ account: "ABC1", key, isPlain: false, objective: { id: 12 }, silenceS: 180 }],
    });

    const site = new DaemonProcess({ main: MAIN, configFile: file, dataDir: config.dataDir });
    await site.start({ SANTINELA_HTTP__PORT: "0" });
    try {
      const panel = new AlarmPanel({ account: "ABC1", key, port: () => port, wallMs: () => Date.now() });
      expect(await panel.report("1130 01 004")).toBe(true);
      await eventually("its record", async () =>
        (await site.get<{ interventionId: number | null }[]>("/site/trips")).some(
          ({ interventionId }) => interventionId !== null,
        ),
      );
    } finally {
      await site.end("SIGTERM");
    }
  });

  test("an alarm panel without encryption needs its address, and one without supervision has none", async () => {
    const { code, stdout } = await init(
      "--dry-run",
      "--from",
      answers(
        "site-name: S\npanel: yes\npanel-account: 1234\npanel-encrypted: no\npanel-address: 192.168.1.20\npanel-polling: 0\n",
      ),
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^dc09:.*\n {2}host: 0\.0\.0\.0\n {2}port: 12128\n {2}accounts:\n {4}- account: "1234"\n {6}plain: true\n {6}from: \["192\.168\.1\.20"\]\n {6}objective: \{ type: obiective\/cladiri, id: 1 \}\nobjectives:/m,
    );
    const without = await init(
      "--from",
      answers("site-name: S\npanel: yes\npanel-account: 1234\npanel-encrypted: no\n"),
    );
    expect(without.stderr).toMatch(/panel-address is missing/);
  });

  test("the key of an alarm panel can be one that it has already", async () => {
    writeFileSync(join(folder, "ajax.key"), "sixteen letters!\n", { mode: 0o600 });
    const given = "site-name: S\npanel: yes\npanel-account: 1234\npanel-key-file: ajax.key\nzone: none\n";
    expect((await init("--from", answers(given))).stderr).toContain(`key in ${join(folder, "ajax.key")}`);
    const { dc09 } = loadConfiguration({ file, env: {}, cwd: "/" });
    expect(dc09?.accounts[0]?.key).toBe(Buffer.from("sixteen letters!").toString("hex").toUpperCase());
  });

  const BUILT_IN: readonly Reply[] = [
    ...UNTIL_THE_CENTRE,
    [/dispatch centre/, ""],
    [/MQTT broker/, ""],
    [/IP alarm panel/, ""],
  ];

  test("says why a contact cannot be tested without GPIO, and does not wait for it", async () => {
    const { code, stderr } = await person(
      [
        ...BUILT_IN.slice(0, -2),
        [/MQTT broker/, "off"],
        [/IP alarm panel/, ""],
        [/Input of the first zone/, "gpio"],
        [/Name of the zone/, "Door"],
        [/Short id/, ""],
        [/Zone type/, ""],
        [/GPIO line/, "17"],
        [/[Cc]ontact/, ""],
        ...USUAL_OBJECTIVE,
        [/Test door now/, ""],
      ],
      { SANTINELA_GPIO__CHIP: "no such chip" },
    );
    expect(stderr).toMatch(/GPIO unavailable: .*no such chip[^]*door cannot be tested without its GPIO line/);
    expect(code).toBe(0);
  });

  test("tests a sensor at the built-in broker of a daemon that runs already", async () => {
    const port = await freePort();
    const env = { SANTINELA_MQTT__LISTEN__PORT: String(port) };
    const installation = new Installation();
    const site = installation.daemon("site", "http: { port: 0 }\n");
    await site.start({ ...process.env, ...env });
    const sensor = await connectAsync(`mqtt://127.0.0.1:${port}`);
    let hasTripped = false;
    const open = async (): Promise<void> => {
      for (const payload of ["OFF", "ON"]) await sensor.publishAsync("hall/door", payload, { qos: 1 });
      await pause(500);
      if (!hasTripped) await open();
    };
    try {
      const { code, stdout } = await person(
        [
          ...BUILT_IN,
          [/Input of the first zone/, "mqtt"],
          ...HALL_DOOR,
          [/Test hall-door now/, ""],
          [/Trip hall-door now/, () => void open()],
        ],
        env,
      );
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^Hall door tripped[^]*Start it/)]);
    } finally {
      hasTripped = true;
      await sensor.endAsync();
      await installation.remove();
    }
  });

  test("writes nothing when the installer cancels", async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    stdin.end("Hala Nord\n");
    const { code, stderr } = await santinela(["init", "--config", file], { cwd: folder, stdin });
    expect([code, stderr]).toEqual([64, expect.stringMatching(/input ended; nothing was written/)]);
    expect(existsSync(file)).toBe(false);
  });

  test("never prompts without a terminal, nor with --no-input", async () => {
    for (const words of [[], ["--no-input"]]) {
      const stdin = Object.assign(new PassThrough(), { isTTY: words.length > 0 });
      const { code, stderr } = await santinela(["init", "--config", file, ...words], { cwd: folder, stdin });
      expect([code, stderr]).toEqual([
        64,
        expect.stringMatching(/no terminal for prompts\nUse an answers file with --from/),
      ]);
    }
  });
});

describeWithMosquitto("init, with a sensor at a broker", () => {
  test("waits for the sensor to open, and leaves nothing at the broker", async () => {
    const broker = await startMosquitto(["sys_interval 1"]);
    const sensor = await connectAsync(broker.url);
    let hasTripped = false;
    // The door is opened again if the daemon did not listen yet.
    const open = async (): Promise<void> => {
      for (const payload of ["OFF", "ON"]) await sensor.publishAsync("hall/door", payload, { qos: 1 });
      await pause(1000);
      if (!hasTripped) await open();
    };
    try {
      const { code, stdout } = await person([
        ...UNTIL_THE_CENTRE,
        [/dispatch centre/, ""],
        ...atBroker(broker.url),
        [/Looking for sensors/, ""],
        [/No sensor was found[^]*Input of the first zone/, "mqtt"],
        ...HALL_DOOR,
        [/Test hall-door now/, "yes"],
        [/Trip hall-door now/, () => void open()],
      ]);
      hasTripped = true;
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^Hall door tripped[^]*Start it/)]);
      const seen: string[] = [];
      sensor.on("message", (_topic, payload) => void seen.push(payload.toString()));
      await sensor.subscribeAsync("$SYS/broker/clients/disconnected");
      await eventually("no session but the sensor's", () => seen.at(-1) === "0");
    } finally {
      hasTripped = true;
      await sensor.endAsync();
      await broker.stop();
    }
  });
});

describeWithMosquitto("init, with sensors that announce themselves and a dispatch centre", () => {
  test("offers them as zones, and asks again for a password that the centre refuses before it writes anything", async () => {
    const broker = await startMosquitto();
    const devices = await AnnouncingDevices.at(broker.url);
    const installation = new Installation();
    const { port } = await startCentre(installation, buildingsYaml(1));
    const parts = Object.fromEntries(
      Array.from({ length: 1_001 }, (_none, index) => [`c${index}`, { p: "button", cmd_t: `a/${index}` }]),
    );
    await devices.send("homeassistant/device/a/config", { cmps: parts }, true);
    const door = "livingroom/binary_sensor/front_door/state";
    const flood = "shellies/shellyflood-7A2B3C/sensor/flood";
    let hasTripped = false;
    // The door is opened again if the daemon did not listen yet.
    const open = async (): Promise<void> => {
      for (const id of ["esp-02", "esp-01"]) await devices.send(door, recorded(id));
      await pause(1000);
      if (!hasTripped) await open();
    };
    const numberOf = (output: string, topic: string): string =>
      new RegExp(`^(\\d+) .* ${topic}$`, "m").exec(output)?.[1] ?? "none";
    try {
      const { code, stdout, stderr } = await person([
        ...UNTIL_THE_CENTRE,
        [/dispatch centre/, "y"],
        [/URL of the dispatch centre/, `http://127.0.0.1:${port}`],
        [/E-mail address of the site's account/, EDGE.email],
        [/Password of that account/, "not this one"],
        ...atBroker(broker.url),
        [/Looking for sensors/, ""],
        [/Zones from these sensors/, "99"],
        [/numbers from 1 to/, (output) => `${numberOf(output, door)}, ${numberOf(output, flood)}`],
        [/Name of Living room Front door/, "Ușa din față"],
        [/Zone type of .*\[intrusion\]/, "door"],
        [/must be one of[^]*Zone type of/, ""],
        [/Name of shellyflood/, "Apă subsol"],
        [/Zone type of .*\[flood\]/, ""],
        [/Input of the first zone.*\[none\]/, ""],
        ...USUAL_OBJECTIVE,
        [/Enter the dispatch centre again/, () => (expect(existsSync(file)).toBe(false), "")],
        [/URL of the dispatch centre.*\[http:\/\/127/, ""],
        [/E-mail address.*\[/, ""],
        [/Password of that account/, EDGE.password],
        [/Test usa-din-fata now/, ""],
        [/Trip usa-din-fata now/, () => void open()],
      ]);
      hasTripped = true;
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^Ușa din față tripped[^]*Start it/)]);
      expect(stderr).toContain("  not complete: a device announces more than 1000 components");
      expect(stderr).toContain("  lampa, SONOFF SNZB-04: no message yet\n");
      expect(stderr).toMatch(/✖ Centre[^]*✔ Centre: .* accepts [^]*wrote /);
      expect(loadConfiguration({ file, env: {}, cwd: "/" })).toMatchObject({
        upstream: { password: EDGE.password },
        zones: [
          { id: "usa-din-fata", kind: "intrusion", input: { mqtt: door, open: ["ON"] } },
          { id: "apa-subsol", kind: "flood", input: { mqtt: flood } },
        ],
        warnings: [],
      });
    } finally {
      hasTripped = true;
      await installation.remove();
      await devices.end();
      await broker.stop();
    }
  });
});

describeWithMosquitto("init, with devices of which only the topics are known", () => {
  test("numbers their topics like the sensors, and asks which value is the contact", async () => {
    const broker = await startMosquitto();
    const devices = await AnnouncingDevices.at(broker.url);
    const hall = { linkquality: 23, door: { battery: 60, contact: true } };
    await devices.send("atelier/hol", hall, true);
    await devices.send("atelier/pompa", "OPRIT", true);
    await devices.send("zigbee2mqtt/lampa", { state: "OFF", linkquality: 12 }, true);
    const row = (output: string, topic: string): string =>
      new RegExp(`^(\\d+) .*${topic} `, "m").exec(output)?.[1] ?? "none";
    let hasTripped = false;
    // The door is opened again if the daemon did not listen yet.
    const open = async (): Promise<void> => {
      for (const contact of [true, false])
        await devices.send("atelier/hol", { ...hall, door: { battery: 60, contact } });
      await pause(1000);
      if (!hasTripped) await open();
    };
    try {
      const { code, stdout, stderr } = await person([
        ...UNTIL_THE_CENTRE,
        [/dispatch centre/, ""],
        ...atBroker(broker.url),
        [/Looking for sensors/, ""],
        [
          /Zones from these sensors/,
          (output) =>
            ["atelier/hol", "atelier/pompa", "zigbee2mqtt/lampa"].map((one) => row(output, one)).join(),
        ],
        [/Name of hol \[hol\]/, "Ușa din hol"],
        [/Zone type of hol \[intrusion\]/, ""],
        [/Which of them is the contact\? \[3\]/, "9"],
        [/number from 1 to 3[^]*Which of them/, ""],
        [/means open.*\[false\]/, ""],
        [/means normal.*\[true\]/, ""],
        [/Name of pompa/, ""],
        [/Zone type of pompa/, "technical"],
        [/means open[^[]*: $/, ""],
        [/must not be empty[^]*means open/, "PORNIT"],
        [/means normal/, "pornit"],
        [/zone-normal is the value that means open[^]*means normal/, ""],
        [/Name of lampa/, "Lumină"],
        [/Zone type of lampa/, "technical"],
        [/Which of them is the contact/, "1"],
        [/means open.*\[ON\]/, ""],
        [/means normal.*\[OFF\]/, "none"],
        [/Input of the first zone.*\[none\]/, ""],
        ...USUAL_OBJECTIVE,
        [/Test usa-din-hol now/, ""],
        [/Trip usa-din-hol now/, () => void open()],
      ]);
      hasTripped = true;
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^Ușa din hol tripped/)]);
      expect(stderr).toMatch(/^\d+ +lampa, SONOFF SNZB-04 +zigbee2mqtt\/lampa +\/state "OFF"/m);
      const { zones, warnings } = loadConfiguration({ file, env: {}, cwd: "/" });
      expect(warnings).toEqual([]);
      expect(zones).toMatchObject([
        {
          id: "usa-din-hol",
          kind: "intrusion",
          input: { mqtt: "atelier/hol", path: "/door/contact", open: [false], normal: [true] },
        },
        {
          id: "pompa",
          kind: "technical",
          input: { mqtt: "atelier/pompa", open: ["PORNIT"] },
          rules: { autoRestoreMs: 30_000 },
        },
        {
          id: "lumina",
          input: { mqtt: "zigbee2mqtt/lampa", path: "/state", open: ["ON"] },
          rules: { autoRestoreMs: 30_000 },
        },
      ]);
    } finally {
      hasTripped = true;
      await devices.end();
      await broker.stop();
    }
  });
});

/** The payload of a recorded message. */
function recorded(id: string): string {
  const lines = readFileSync("test/inputs/device-messages.jsonl", "utf8").trim().split("\n");
  const messages = lines.map((line) => JSON.parse(line) as { id: string; payload: string });
  return messages.find((message) => message.id === id)?.payload ?? "";
}

describe("init --from, for a fleet", () => {
  const FLEET =
    "site-name: Hala Sud\nzone: mqtt\nzone-name: Poarta\nzone-topic: zigbee2mqtt/gate\nzone-path: /contact\nzone-open: false\nzone-normal: true\nzone-kind: perimeter\nbroker: external\n";

  test("writes the configuration of the answers without a prompt", async () => {
    const { code, stdout } = await init("--from", answers(FLEET));
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Start it: /)]);
    const config = loadConfiguration({ file, env: {}, cwd: "/" });
    expect(config).toMatchObject({
      site: { name: "Hala Sud", ref: "hala-sud" },
      mqtt: { mode: "external", url: "mqtt://127.0.0.1:1883" },
      upstream: null,
      warnings: [],
      zones: [
        { id: "poarta", kind: "perimeter", input: { open: [false], normal: [true], path: "/contact" } },
      ],
    });
  });

  test.each([
    ["a GPIO contact", "zone: gpio\nzone-name: G\nzone-gpio: 17\nzone-contact: no\n", { gpio: 17 }],
    [
      "a sensor that never says closed",
      "zone: mqtt\nzone-name: P\nzone-topic: a/b\nzone-open: ON\n",
      { open: ["ON"] },
    ],
    ["no zone yet", "zone: none\n", undefined],
  ])("accepts %s", async (_what, zone, input) => {
    expect((await init("--from", answers(`site-name: S\n${zone}`))).code).toBe(0);
    const { zones, warnings } = loadConfiguration({ file, env: {}, cwd: "/" });
    expect(warnings).toEqual([]);
    expect(zones.map((made) => made.input)).toEqual(input ? [expect.objectContaining(input)] : []);
  });

  test("takes the template with blank lines for what is not answered", async () => {
    const template = (await init("--template")).stdout;
    const { code, stderr } = await init(
      "--from",
      answers(template.replace("site-name:", "site-name: S").replace("\nzone:", "\nzone: none")),
    );
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("missing") as string]);
    expect(loadConfiguration({ file, env: {}, cwd: "/" })).toMatchObject({
      site: { name: "S", ref: "s" },
      upstream: null,
    });
    const blank = await init("--force", "--from", answers(template));
    expect([blank.code, blank.stderr]).toEqual([65, expect.stringMatching(/:1:1: site-name is missing/)]);
  });

  test.each([
    ["site-ref: Hala Nord", /2:1: site-ref "Hala Nord" does not match .*A–Z, a–z, 0–9/],
    ["centre: yes\ncentre-url: ftp://a", /3:1: centre-url does not match/],
    ["broker: external\nbroker-url: http://a", /3:1: broker-url does not match/],
    ["zone: gpio\nzone-name: G\nzone-id: Ușa 1", /4:1: zone-id "Ușa 1" does not match .*a–z, 0–9/],
    ["zone: gpio\nzone-name: G\nzone-gpio: 9999", /4:1: zone-gpio 9999 is out of range; allowed: 0 to 1023/],
    [
      "zone: mqtt\nzone-name: G\nzone-topic: a\nzone-path: contact",
      /5:1: zone-path "contact" does not match/,
    ],
    ["zone: simulated\nzone-name: G\nobjective-id: 0", /4:1: objective-id 0 is out of range/],
  ])("refuses at its question what the schema would: %s", async (line, message) => {
    const { code, stderr } = await init("--from", answers(`site-name: S\n${line}\n`));
    expect([code, stderr]).toEqual([65, expect.stringMatching(message)]);
  });

  test("a dry run prints the configuration and touches nothing", async () => {
    const { code, stdout } = await init("--dry-run", "--from", answers(FLEET));
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /input: \{ mqtt: "zigbee2mqtt\/gate", path: "\/contact", open: \[false\], normal: \[true\] \}/,
    );
    expect(existsSync(join(folder, "etc"))).toBe(false);
  });

  test("existing files are kept unless an option says otherwise", async () => {
    expect((await init("--from", answers(FLEET))).code).toBe(0);
    const before = readFileSync(file, "utf8");
    const refused = await init("--from", answers("site-name: Other\n"));
    expect([refused.code, refused.stderr]).toEqual([73, expect.stringMatching(/already exists\n.*--force/)]);
    expect(readFileSync(file, "utf8")).toBe(before);
    expect((await init("--force", "--from", answers("site-name: Other\nzone: none\n"))).code).toBe(0);
    expect(readFileSync(file, "utf8")).toContain('"Other"');
  });

  test("a replaced file keeps the editor of the web panel, and the right of the daemon to write it", async () => {
    mkdirSync(dirname(file));
    writeFileSync(file, "http: { host: 0.0.0.0, tls: own, configuration: panel }\n");
    chmodSync(file, 0o660);
    // As /etc/santinela of the package.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(dirname(file), 0, 65_534);
    for (const network of ["network", "this-machine"]) {
      const given = answers(`site-name: S\nzone: none\nnetwork: ${network}\n`);
      expect((await init("--force", "--from", given)).code).toBe(0);
      expect(loadConfiguration({ file, env: {}, cwd: "/" }).http.configuration).toBe("panel");
      expect(statSync(file).mode & 0o777).toBe(isRoot ? 0o660 : 0o600);
    }
    rmSync(file);
    expect((await init("--from", answers("site-name: S\nzone: none\n"))).code).toBe(0);
    expect(readFileSync(file, "utf8")).not.toContain("configuration:");
    expect(statSync(file).mode & 0o777).toBe(isRoot ? 0o640 : 0o600);
  });

  test("secrets are referenced by file name and not copied", async () => {
    writeFileSync(join(folder, "centre.secret"), "zaporojan\n", { mode: 0o600 });
    writeFileSync(join(folder, "admin.secret"), "correct horse battery\n", { mode: 0o600 });
    const given = answers(
      "site-name: S\nzone: none\ncentre: yes\ncentre-url: https://c.example\ncentre-email: s@example.ro\ncentre-password-file: centre.secret\nadministrator: ana@example.ro\nadministrator-password-file: admin.secret\n",
    );
    const { code, stdout } = await init("--from", given);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^added ana@example\.ro as administrator\n/)]);
    expect(readFileSync(file, "utf8")).toContain(join(folder, "centre.secret"));
    expect(loadConfiguration({ file, env: {}, cwd: "/" }).upstream?.password).toBe("zaporojan");
  });

  test.each([
    ["a missing answer", "zone: none\n", /site-name is missing\nRun santinela init --template/],
    [
      "an invalid answer",
      "site-name: S\nzone: wifi\n",
      /answers\.yaml:2:1: zone must be one of gpio, mqtt, simulated, none, not "wifi"/,
    ],
    [
      "a misspelt question",
      "site-name: S\nzone: none\nlangauge: en\n",
      /answers\.yaml:3:1: unknown or unused answer langauge/,
    ],
    [
      "a question that does not apply to these answers",
      "site-name: S\nzone: none\nzone-gpio: 17\n",
      /answers\.yaml:3:1: unknown or unused answer zone-gpio/,
    ],
    [
      "a value that is not a scalar",
      "site-name: [S]\n",
      /answers\.yaml:1:1: an answer must be a single value/,
    ],
    ["invalid YAML", "a: b: c\n", /answers\.yaml:1:\d+: invalid YAML/],
  ])("rejects %s with its position, and writes nothing", async (_what, text, message) => {
    const { code, stderr } = await init("--from", answers(text));
    expect([code, stderr]).toEqual([65, expect.stringMatching(message)]);
    expect(existsSync(file)).toBe(false);
  });

  test("an invalid configuration is reported before anything is written", async () => {
    const { code, stderr } = await init(
      "--from",
      answers("site-name: S\nzone: mqtt\nzone-name: P\nzone-topic: '#'\nzone-open: ON\n"),
    );
    expect([code, stderr]).toEqual([
      78,
      expect.stringMatching(/site\.yaml:\d+:\d+: zones\[0\]\.input\.mqtt: /),
    ]);
    expect(existsSync(join(folder, "etc"))).toBe(false);
  });

  test("the list of questions is a template for the answers file", async () => {
    const { stdout } = await init("--template");
    expect(stdout).toMatch(/^site-name: # Name of the site\n[^]*centre-password-file: # /);
    writeFileSync(join(folder, "answers.yaml"), stdout.replace(/^site-name: /, "site-name: S "));
    expect((await init("--from", join(folder, "answers.yaml"), "--dry-run")).stderr).toMatch(
      /must be one of|is not an? |missing/,
    );
  });
});
