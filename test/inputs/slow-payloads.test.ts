import { describe, expect, test } from "vitest";
import { PAYLOAD_BYTES_MAX } from "../../src/inputs/message-content.ts";
import { ZoneTopics } from "../../src/inputs/zone-topics.ts";
import { zoneOf } from "../support/monitored-zones.ts";

/* Payloads for which a pattern would begin at each of thousands of places and read to the end each time. The thread that watches
   all contacts must not wait for one message of one sensor. */

const CPU_MS_MAX = 500;
const TOPICS = new ZoneTopics([
  zoneOf({
    id: "gate",
    input: { mqtt: "gate", path: "/contact", open: [false], normal: [true] },
    battery: { mqtt: "gate", path: "/battery", below: 10 },
  }),
]);
/** An unterminated text or number that is repeated, what precedes it, and what keeps a pattern from matching at the end. */
const PARTS = [
  "\0",
  " ",
  "\t\n",
  '"',
  '\\"',
  "\\",
  "1",
  "-",
  "1e",
  "{",
  '{"a":',
  "[",
  "NaN",
  "-Infinity",
  "%",
  " %",
];
const STARTS = ["", "1234567890123456", '{"contact":false,"battery":"x', '{NaN,"', '{"battery":"1'];
const ENDS = ["", "x", "\\", "\\\n", "e", '"}', 'y"}', 'y%"}', "NaN", "%"];

function cpuMsOf(payload: string): number {
  const before = process.cpuUsage();
  TOPICS.read("gate", Buffer.from(payload), { isRetained: false });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

describe("a payload of the largest size is read at once", () => {
  test.each(STARTS)("that begins with %j", (start) => {
    for (const part of PARTS)
      for (const end of ENDS) {
        const room = PAYLOAD_BYTES_MAX - start.length - end.length;
        const payload = start + part.repeat(Math.floor(room / part.length)) + end;
        expect(cpuMsOf(payload), JSON.stringify([start, part, end])).toBeLessThan(CPU_MS_MAX);
      }
  });
});
