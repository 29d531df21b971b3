import { describe, expect, test } from "vitest";
import { announced, door, opening, sent } from "../../support/home-assistant-messages.ts";
import { foundIn, playSteps, proposedFor, type Step } from "../../support/device-scenarios.ts";

/* Templates of announcements for Home Assistant, with a message while the door is closed and one while it is open. */

const TEMPLATES: readonly (readonly [template: string, more: object, closed: unknown, open: unknown])[] = [
  ["{{ value_json['usa'] }}", {}, { usa: "OFF" }, { usa: "ON" }],
  ['{{ value_json["stare usa"][0].x }}', {}, { "stare usa": [{ x: "OFF" }] }, { "stare usa": [{ x: "ON" }] }],
  ["{{ value_json.get('usa') }}", {}, { usa: "OFF" }, { usa: "ON" }],
  [
    "{{ value_json.stare.get('usa', 'OFF') | upper }}",
    {},
    { stare: { usa: "off" } },
    { stare: { usa: "on" } },
  ],
  ["{{value_json.usa|int}}", { payload_on: 1, payload_off: 0 }, { usa: "0" }, { usa: 1 }],
  ["{{ value_json.usa | default('OFF') }}", {}, { usa: "OFF" }, { usa: "ON" }],
  ["{{ (value_json.usa | int(0)) }}", { payload_on: "1", payload_off: "0" }, { usa: 0 }, { usa: 1 }],
  ["{{ 'ON' if value_json.usa == 'open' else 'OFF' }}", {}, { usa: "closed" }, { usa: "open" }],
  ["{{ 'OFF' if value_json.usa else 'ON' }}", {}, { usa: true }, { usa: false }],
  ["{{ 'ON' if not value_json.inchis else 'OFF' }}", {}, { inchis: true }, { inchis: false }],
  ["{{ 'ON' if value_json.usa in ['open', 'ajar'] else 'OFF' }}", {}, { usa: "closed" }, { usa: "ajar" }],
  ["{{ 'ON' if value_json.usa is true else 'OFF' }}", {}, { usa: false }, { usa: true }],
  [
    "{{ value_json.usa == 'open' }}",
    { payload_on: "True", payload_off: "False" },
    { usa: "shut" },
    { usa: "open" },
  ],
  ["{{ iif(value_json.usa == 2, 'ON', 'OFF') }}", {}, { usa: 1 }, { usa: 2 }],
  ["{{ (value_json['usa'] == 'open') | iif('ON', 'OFF') }}", {}, { usa: "closed" }, { usa: "open" }],
  ["{% if value_json.usa == 'open' %}ON{% else %}OFF{% endif %}", {}, { usa: "closed" }, { usa: "open" }],
  [
    "{%- if value == 'deschis' -%} {{ 'ON' }} {%- else -%} {{ 'OFF' }} {%- endif -%}",
    {},
    "inchis",
    "deschis",
  ],
  ["{{ 'ON' if value | int == 3 else 'OFF' }}", {}, "1", "3"],
  ["{% if value is equalto 'deschis' %} ON {% else %} OFF {% endif %}", {}, "inchis", "deschis"],
  ["{{ 'OFF' if value_json.usa is not eq('open') else 'ON' }}", {}, { usa: "closed" }, { usa: "open" }],
  ["{{ value_json.usa if value_json.usa is defined else this.state }}", {}, { usa: "OFF" }, { usa: "ON" }],
  [
    "{% if value_json.inchis is defined %}{{ value_json.inchis }}{% else %}{{ this.state }}{% endif %}",
    { payload_on: false, payload_off: true },
    { inchis: true },
    { inchis: false },
  ],
  [
    "{% if value_json.usa == 'deschis' %}ON{% elif value_json.usa == 'inchis' %}OFF{% endif %}",
    {},
    { usa: "inchis" },
    { usa: "deschis" },
  ],
  [
    "{% if value_json.usa in [2, 3] %}ON{% elif value_json.usa == 1 %}OFF{% else %}{{ this.state }}{% endif %}",
    {},
    { usa: 1 },
    { usa: 3 },
  ],
  [
    "{{ 'ON' if value_json.usa == 'open' or value_json.usa == 'tilted' else 'OFF' }}",
    {},
    { usa: "closed" },
    { usa: "tilted" },
  ],
  [
    "{{ 'OFF' if value_json.usa != 'open' and value_json.usa != 'tilted' else 'ON' }}",
    {},
    { usa: "closed" },
    { usa: "tilted" },
  ],
  ["{{ 'ON' if not (value_json.usa != 2 and value_json.usa != 3) else 'OFF' }}", {}, { usa: 1 }, { usa: 3 }],
  [
    "{{ 'ON' if value_json.usa is defined and value_json.usa == 'open' else 'OFF' }}",
    {},
    { usa: "closed" },
    { usa: "open" },
  ],
  // A text for the absence of an alarm.
  ["{{ 'ON' if value_json.alarma == 'fum' else 'OFF' }}", {}, { alarma: "none" }, { alarma: "fum" }],
];

describe("a sensor that is announced for Home Assistant", () => {
  test.each(TEMPLATES)("with the template %s is read without it", async (template, more, closed, open) => {
    const device = door({ value_template: template, ...more }, opening(closed, open));
    const zone = proposedFor(device);
    expect(zone.doubts).toEqual([]);
    expect(await playSteps(zone, device.steps)).toEqual(device.steps);
  });

  test.each([
    ["{{ 'ON' if value_json.nivel > 3 else 'OFF' }}", "/nivel"],
    ["{{ 'ON' if value_json.usa is defined else 'OFF' }}", "/usa"],
    ["{{ value_json.usa if value_json.poarta is defined else 'OFF' }}", undefined],
    ["{{ 'OFF' if value_json.usa == 'shut' else 'ON' }}", "/usa"],
    ["{{ 'on' if (value_json.usa | int) != 0 else 'off' }}", "/usa"],
    ["{% if value_json.a == 1 %}ON{% elif value_json.b == 2 %}OFF{% endif %}", undefined],
    ["{% if value_json.a == 1 %}ON{% elif value_json.a > 2 %}OFF{% endif %}", "/a"],
    ["{% if value_json.a == 1 %}OFF{% elif value_json.a == 2 %}ON{% else %}OFF{% endif %}", "/a"],
    ["{{ 'ON' if value_json.a or value_json.b else 'OFF' }}", undefined],
    ["{{ 'ON' if value_json.a == 'open' or value_json.b == 'open' else 'OFF' }}", undefined],
    ["{{ 'ON' if value_json.a == 'open' and value_json.a != 'x' else 'OFF' }}", "/a"],
    ["{{ 'ON' if value_json.a | bitwise_and(1023) else 'OFF' }}", "/a"],
    ["{% if value_json.a == 1 %}OFF{% else %}{{ this.state }}{% endif %}", "/a"],
    ["{{ states('sensor.x') }}", undefined],
    ["{{ value_json.constructor.prototype | tojson | regex_replace('a', 'b') }}", "/constructor/prototype"],
    [`{{ ${"(".repeat(400)}value_json.a }}`, "/a"],
  ])("with the template %s is proposed with what to check", (template, path) => {
    const { zones } = foundIn({ announced: [announced({ device_class: "door", value_template: template })] });
    expect(zones.map(({ input, doubts }) => [input.path, doubts.map(({ code }) => code)])).toEqual([
      [path, ["computed-value"]],
    ]);
  });

  test.each([
    ["{% if value_json.value == '545CE9' %}ON{% else %}{{ states('binary_sensor.usa') }}{% endif %}"],
    ["{% if value_json.value == '545CE9' %}ON{% endif %}"],
    ["{% if value_json.value == '545CE9' %}ON{% else %}{% endif %}"],
    ["{{ 'ON' if value_json.value == '545CE9' else this.state }}"],
    ["{{ 'ON' if value_json.value == '545CE9' }}"],
  ])("with the template %s, which nothing ends, is ended by time", async (template) => {
    const zone = proposedFor(door({ value_template: template }, []));
    expect(zone).toMatchObject({
      input: { path: "/value", open: ["545CE9"] },
      autoRestoreS: 30,
      doubts: [{ code: "radio-code", values: { code: "545CE9" } }],
    });
    const steps: Step[] = [
      [sent({ value: "545CE9" }), "trip"],
      ["30 s", "restore"],
      [sent({ value: "545CE9" }), "trip"],
    ];
    expect(await playSteps(zone, [[sent({ value: "A0" }), "nothing"], ...steps])).toEqual([
      [sent({ value: "A0" }), "nothing"],
      ...steps,
    ]);
  });

  test("with a template that names only the closed state is read by the usual opposite, to be checked", async () => {
    const template = "{{ 'OFF' if value_json.usa == 'closed' else 'ON' }}";
    const device = door({ value_template: template }, opening({ usa: "closed" }, { usa: "open" }), [
      "computed-value",
    ]);
    const zone = proposedFor(device);
    expect(zone.doubts.map(({ code }) => code)).toEqual(device.doubts);
    expect(await playSteps(zone, device.steps)).toEqual(device.steps);
  });
});
