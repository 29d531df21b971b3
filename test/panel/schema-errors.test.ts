import { expect, test } from "vitest";
import { pathText } from "../../src/config/problems.ts";
import { schemaProblems } from "../../src/config/schema-problems.ts";
import { validateConfiguration } from "../../src/generated/configuration-validator.js";
import { errorsOfZone } from "../../src/panel/option-errors.ts";
import { SCHEMAS } from "../../src/generated/schemas.ts";
import { RO_DESCRIPTIONS } from "../../src/panel/messages/ro-schema.ts";
import { translateToRomanian } from "../../src/panel/messages/ro-more.ts";

const OBJECTIVE = { type: "obiective/cladiri", id: 12 };
const VALUES = { mqtt: "a/b", path: "/state", open: ["ON"], normal: ["OFF"] };

/** Every section that a form of the panel can write. */
const CONFIGURATION = {
  site: { name: "Hala nord", ref: "hala-nord", timezone: "Europe/Bucharest", locale: "ro" },
  upstream: { baseUrl: "https://a.example/api", email: "a@a.example", passwordFile: "p", phone: "0212" },
  mqtt: { url: "mqtt://127.0.0.1:1883" },
  gpio: { backend: "auto", chips: { a: { label: "mcp23017" } } },
  dc09: {
    accounts: [{ account: "1234", keyFile: "k", objective: OBJECTIVE, from: ["192.168.1.20"] }],
    transports: ["tcp"],
  },
  outputs: [{ name: "siren", gpio: 5, on: "alarm", kinds: ["fire"] }],
  zones: [
    {
      id: "door",
      name: "Ușa",
      kind: "intrusion",
      objective: OBJECTIVE,
      input: { ...VALUES, where: [{ path: "/a", in: [1], not: [2] }], dedupe: { path: "/id" } },
      tamper: VALUES,
      battery: { mqtt: "a/c", path: "/battery", below: 10 },
      availability: { mqtt: "a/d", up: ["online"], down: ["offline"] },
      gate: { mqtt: "a/e", open: ["armed"], normal: ["disarmed"] },
      confirmWith: { zones: ["hall"], withinS: 60 },
      swinger: { maxTrips: 3, resetAfterQuietS: 3_600 },
      allowSlow: true,
      debounceMs: 5,
    },
    { id: "hall", name: "Hol", kind: "fire", objective: OBJECTIVE, input: { gpio: 17, contact: "nc" } },
    {
      id: "loop",
      name: "B",
      kind: "panic",
      objective: OBJECTIVE,
      input: { dc09: "1234", zone: 3, codes: ["130"] },
    },
  ],
} as const;

const WRONG = [
  null,
  5.5,
  -1,
  "",
  "a b: c. D; e",
  "x".repeat(5_000),
  [],
  ["a", "a"],
  Array.from({ length: 600 }, (_, n) => n),
  {},
  { unknwon: 1 },
];

/** Copies of a value with each of its parts replaced by a wrong value, or left out. */
function* spoilt(value: unknown): Generator {
  yield* WRONG;
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    const put = (other: unknown): unknown =>
      Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other };
    for (const other of spoilt(part)) yield put(other);
    if (!Array.isArray(value)) {
      const { [key]: _left, ...rest } = value as Record<string, unknown>;
      yield rest;
      yield { ...value, [`${key}x`]: part };
    }
  }
}

function errorsOf(configuration: unknown): string[] {
  if (validateConfiguration(configuration)) return [];
  return schemaProblems(validateConfiguration.errors ?? [], configuration).map(
    ({ path, message }) => `${pathText(path)}: ${message}`,
  );
}

test("the configuration of this test is right", () => {
  expect(errorsOf(CONFIGURATION)).toEqual([]);
});

test("what the schema of the configuration rejects has a Romanian text, and none of the validator's own", () => {
  const errors = new Set<string>();
  for (const [section, value] of Object.entries(CONFIGURATION))
    for (const other of spoilt(value))
      for (const error of errorsOf({ ...CONFIGURATION, [section]: other })) errors.add(error);
  expect(errors.size).toBeGreaterThan(500);
  expect([...errors].filter((error) => /NOT|must match|must be equal/.test(error))).toEqual([]);
  expect([...errors].filter((error) => translateToRomanian(error) === undefined)).toEqual([]);
});

test.each([
  ["zones[0].name: must not be empty", "zones[0].name: valoare obligatorie"],
  [
    "zones[0].name: has 300 characters; at most 200 are allowed",
    "zones[0].name: număr de caractere: 300; se acceptă cel mult 200",
  ],
  [
    "zones[0].debounceMs: 900 is out of range; allowed: 0 to 200",
    "zones[0].debounceMs: 900 este în afara limitelor; se acceptă valori de la 0 la 200",
  ],
  [
    'zones[0].kind: must be one of fire, gas, not "fre". Did you mean fire?',
    'zones[0].kind: se acceptă numai fire, gas, nu "fre". Poate ați vrut să scrieți fire',
  ],
  [
    'zones[0].id: "A B" does not match the expected format. Id of the zone, used in commands and logs: a–z, 0–9, - and _, beginning with a letter or digit.',
    'zones[0].id: "A B" nu are forma cerută. Se acceptă litere mici, cifre, - și _, începând cu o literă sau o cifră',
  ],
  [
    'zones[0].id: "A B" does not match the expected format. Id of the zone, used in commands and logs: a–z, 0–9, - and _, beginning with a letter or digit. Use a-b',
    'zones[0].id: "A B" nu are forma cerută. Se acceptă litere mici, cifre, - și _, începând cu o literă sau o cifră. Folosiți a-b',
  ],
  [
    'x.y: "A B" does not match the expected format. A description without a translation.',
    'x.y: "A B" nu are forma cerută',
  ],
  [
    'zones[0].name: must be text, not 5. Write it in quotes: "5"',
    'zones[0].name: se așteaptă un text, nu 5. Scrieți între ghilimele: "5"',
  ],
])("%s", (english, romanian) => {
  expect(translateToRomanian(english)).toBe(romanian);
});

test("the explanations with a translation are those of the schema", () => {
  const schema = JSON.stringify(SCHEMAS);
  expect(RO_DESCRIPTIONS.filter(([english]) => !schema.includes(JSON.stringify(`${english}.`)))).toEqual([]);
});

test("an option that is missing is an error of its field", () => {
  const errors = [
    "zones[1]: name is missing",
    "zones[1].input: open is missing",
    "zones[1].id: must not be empty",
  ];
  expect(
    errorsOfZone(
      errors.map((message) => ({ place: "a.yaml:1:1", message })),
      1,
      "usa",
    ),
  ).toEqual({
    name: "name is missing",
    "input.open": "open is missing",
    id: "must not be empty",
  });
});

test("a line that an output uses is an error of the field of the zone", () => {
  const of = (zone: string, by: string) =>
    errorsOfZone(
      [
        {
          place: "a.yaml:1:1",
          message: `outputs[0].gpio: line 22 is used by output sirena and by ${by}. Use another line`,
        },
      ],
      3,
      zone,
    );
  const problem = "line 22 is used by output sirena. Use another line";
  expect(of("usa", "zone usa")).toEqual({ "input.gpio": problem });
  expect(of("usa", "the gate of zone usa")).toEqual({ gate: problem });
  expect(of("geam", "zone usa")).toEqual({});
  expect(translateToRomanian(problem)).toBe("linia 22 este folosită de ieșirea sirena; folosiți altă linie");
});
