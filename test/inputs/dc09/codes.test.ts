import { describe, expect, test } from "vitest";
import { contactIdEvent, contactIdMeaning } from "../../../src/inputs/dc09/contact-id.ts";
import type { CodeMeaning } from "../../../src/inputs/dc09/alarm-panel-code.ts";
import { siaMeaning } from "../../../src/inputs/dc09/sia-code.ts";
import { siaEvents } from "../../../src/inputs/dc09/sia-events.ts";

function shortOf(meaning: CodeMeaning | undefined): string {
  if (!meaning) return "unknown";
  return meaning.what === "alarm" ? meaning.kind : meaning.what;
}

describe("Contact ID", () => {
  test.each([
    ["100 101 102 103 109", "medical"],
    ["110 111 112 113 114 115 116 117 118 119", "fire"],
    ["120 123", "panic"],
    ["121 122 124 125 126 127 128 129", "holdup"],
    ["130 133 134 135 138 139 140 146 148 149 170 199", "intrusion"],
    ["131 136", "perimeter"],
    ["132", "motion"],
    ["137 144 145 316 341 383", "tamper"],
    ["150 152 153 157 158 159 160 161 163 169 200 206", "technical"],
    ["151 162", "gas"],
    ["154", "flood"],
    ["147 381 382", "supervision"],
    ["384", "battery"],
    ["301 302 309 311 350 351 352 353 354 344 360 369", "trouble"],
    ["414 415 426 427 428 432 454 455 461 520 521 522 551 552 616 641 654", "trouble"],
    ["400 401 402 403 405 407 408 409 441 442 451 456 463", "arming"],
    ["305 306 313 406 410 411 453 459 627", "note"],
    ["412 413 416 421 424 425 429 433 457 458 462 501 531 532 553 642", "note"],
    ["434 570 571 572 573 575 576 579", "bypass"],
    ["601 602 603 604 605 606 607 608", "test"],
    ["000 099 207 500 900 999", "unknown"],
  ])("%s are %s", (codes, what) => {
    for (const code of codes.split(" ")) expect(shortOf(contactIdMeaning(Number(code))), code).toBe(what);
  });

  test("no code of an alarm is unknown or only recorded", () => {
    const codes = Array.from({ length: 100 }, (_, index) => 100 + index);
    const others = codes.filter((code) =>
      ["unknown", "note", "test"].includes(shortOf(contactIdMeaning(code))),
    );
    expect(others).toEqual([]);
  });

  test.each([
    ["1130 01 004", { code: "130", change: "new", partition: 1, number: 4 }],
    ["3130 01 004", { change: "restored" }],
    ["6130 01 004", { change: "present" }],
    ["113001004", { code: "130", partition: 1, number: 4 }],
    ["18 1130 01 004", { code: "130", number: 4 }],
    ["98 1130 01 004", { code: "130", number: 4 }],
    // Zeros as the telephone has them.
    ["111A 01 AA4", { code: "110", partition: 1, number: 4 }],
    ["34A1 A1 AA1", { code: "401", change: "restored", partition: 1, number: 1 }],
    ["1130 01 0B4", { code: "130", number: null }],
    ["1BCD 01 004", { code: "BCD", meaning: undefined }],
    ["E130 01 004", { code: "130", change: "new", partition: 1, number: 4 }],
    ["R130 01 004", { code: "130", change: "restored" }],
    ["P130 01 004", { code: "130", change: "present" }],
    // Numbers of another length, a blank partition.
    ["1130 1 4", { code: "130", partition: 1, number: 4 }],
    ["1130 001 0004", { partition: 1, number: 4 }],
    ["1130 01 12345", { partition: 1, number: 12345 }],
    ["1130    004", { partition: null, number: 4 }],
    ["1130 -- 004", { partition: null, number: 4 }],
    ["1130 01 004|IHol", { partition: 1, number: 4 }],
    ["1130 01 004 ^Hol^", { partition: 1, number: 4 }],
  ])("%s is read", (data, event) => expect(contactIdEvent(data)).toMatchObject(event));

  test.each(["", "1130", "2130 01 004", "1130 01 004 5", "1130 1 4 5", "113014", "hello"])(
    "%j is not an event",
    (data) => expect(contactIdEvent(data)).toBeUndefined(),
  );
});

describe("SIA", () => {
  test.each([
    ["BA BV BM BG UA UV UG UX EA EE DF DL", "intrusion"],
    ["FA FM FG KA KV SA SV", "fire"],
    ["MA MV QA QV", "medical"],
    ["PA PV", "panic"],
    ["HA HV ND", "holdup"],
    ["GA GV", "gas"],
    ["WA WV", "flood"],
    ["ZA ZV", "technical"],
    ["TA ES XS TT SM AA", "tamper"],
    ["XT", "battery"],
    ["BZ FZ UY XL EZ CM XM", "supervision"],
    ["AT YT YM YP LT NT NC YC YS RT BT FT FS FW EM EP IA YA YX YF ZZ PF OU AS NA GF DJ DM CI CD", "trouble"],
    ["OP CL OA CA OG CG OQ CQ OR OB CZ NO NP AF CB NB NL NM NF", "arming"],
    ["BB FB TB XW", "bypass"],
    ["RP RX TX TS TE BX", "test"],
    ["YW DN BC OC OZ OI LB AB CC NE FL MI EX PC PD PE PG", "note"],
    ["AC QQ ZQ", "unknown"],
  ])("%s are %s", (codes, what) => {
    for (const code of codes.split(" ")) expect(shortOf(siaMeaning(code)?.meaning), code).toBe(what);
  });

  test.each([
    ["BR", "BA"],
    ["BH", "BA"],
    ["FR", "FA"],
    ["TR", "TA"],
    ["AR", "AT"],
    ["YR", "YT"],
    ["YK", "YC"],
    ["BU", "BB"],
    ["BU", "XW"],
    ["UU", "XW"],
    ["BJ", "BT"],
    ["CL", "OP"],
    ["TE", "TS"],
    // The end of a supervisory condition is not a fire.
    ["FV", "FS"],
    ["FQ", "FW"],
    ["XC", "XL"],
    ["JC", "JA"],
    ["YZ", "YX"],
    ["ZY", "ZZ"],
    ["PO", "PF"],
    // Ajax: the system or a group is armed with faults or by a scenario.
    ["AF", "OP"],
    ["CB", "OP"],
    ["NB", "OP"],
  ])("%s ends %s", (code, base) => {
    expect(siaMeaning(code)).toMatchObject({ change: "restored" });
    expect(siaMeaning(code)?.bases).toContain(base);
  });

  test.each([
    ["Nri1/BA05", [{ code: "BA", partition: 1, number: 5, text: "" }]],
    ["NBA05", [{ code: "BA", partition: null, number: 5 }]],
    ["BA05", [{ code: "BA", number: 5 }]],
    [
      "Nti10:15/id001/ri2/pi010/BA12*'Front door'NM",
      [{ code: "BA", partition: 2, number: 12, text: "Front door" }],
    ],
    [
      'Nri1/BA12*"A/B"NM/BR12',
      [
        { code: "BA", text: "A/B" },
        { code: "BR", number: 12, change: "restored" },
      ],
    ],
    ["Nri1CL0^VX FRONTE       ^", [{ code: "CL", number: 0, text: "VX FRONTE" }]],
    ["Ori04/OP001NM", [{ code: "OP", partition: 4, number: 1 }]],
    ["Nri1/BA501|AKitchen", [{ code: "BA", number: 501, text: "Kitchen" }]],
    ["NT05", [{ code: "NT", number: 5 }]],
    // Eaton and Cooper: SIA 2, Extended SIA 3 and its second version with other separators.
    ["N/ri4/FA2", [{ code: "FA", partition: 4, number: 2, text: "" }]],
    ["Nti10:15/ri4/FA2/AFire Zone 2", [{ code: "FA", partition: 4, number: 2, text: "Fire Zone 2" }]],
    ["Nti10:15|ri4|FA2|AFire Zone 2", [{ code: "FA", partition: 4, number: 2, text: "Fire Zone 2" }]],
    ["Nti10:15/id3/ri4/OP3/AOPENING", [{ code: "OP", number: 3, text: "OPENING" }]],
    // Honeywell Galaxy: the time after the code.
    ["NBA1021/ri01/ti07:38/A+INTRUDER.", [{ code: "BA", number: 1021, text: "+INTRUDER." }]],
    // As DSC prints it.
    ["N Ri01 BA 01", [{ code: "BA", partition: 1, number: 1 }]],
    ["Nri1/BA05*NAME", [{ code: "BA", number: 5, text: "NAME" }]],
    ["Nri1OP0001*Familie*", [{ code: "OP", number: 1, text: "Familie" }]],
    ["Nri1/BA47*Hol/Debara*", [{ code: "BA", number: 47, text: "Hol/Debara" }]],
    ["Nri1/BA47*HOL/BUCATARIE/FATA*", [{ code: "BA", number: 47, text: "HOL/BUCATARIE/FATA" }]],
    [
      "NBA1*Hol/NBA2*Pod/Nri2/FA3",
      [
        { code: "BA", number: 1, text: "Hol" },
        { code: "BA", number: 2, text: "Pod" },
        { code: "FA", number: 3, partition: 2 },
      ],
    ],
    [
      "Nri1/BA013/014",
      [
        { code: "BA", number: 13 },
        { code: "BA", number: 14 },
      ],
    ],
    // A number makes a code of two capitals, whatever follows it.
    ["Nri0/AT000XY", [{ code: "AT", number: 0 }]],
    [
      "Nri1/BA5XY/BR5XY",
      [
        { code: "BA", number: 5 },
        { code: "BR", number: 5 },
      ],
    ],
    // No separators at all.
    [
      "Nri1BA3BR4^Pod^NMri2FA5'Hol'NOP6",
      [
        { code: "BA", partition: 1, number: 3 },
        { code: "BR", partition: 1, number: 4, text: "Pod" },
        { code: "FA", partition: 2, number: 5, text: "Hol" },
        { code: "OP", partition: 2, number: 6 },
      ],
    ],
    ["NBA5QQ1", [{ code: "BA", number: 5 }]],
    ["Nri2/id15/OP", [{ code: "OP", partition: 2, number: null }]],
    ["0|NRP", [{ code: "RP" }]],
    // A text that follows in a message of its own.
    ["AFire Zone 2", [{ code: "A", meaning: { what: "note" }, text: "Fire Zone 2" }]],
  ])("%s is read", (data, events) => expect(siaEvents(data)).toMatchObject(events));

  test("a read event has no other text than its own", () => {
    for (const data of ["Nri1/BA5", "Nri1/BA5NM", "NBA5*NM", "Nri1/BA5*''NM", "Nri1/BA5**"])
      expect(siaEvents(data), data).toMatchObject([{ code: "BA", number: 5, text: "" }]);
    expect(siaEvents("Nri1/BA5/FA6")).toHaveLength(2);
    expect(siaEvents("NBA5QQ1")).toHaveLength(1);
  });

  test.each([
    "",
    "N",
    "Nri1",
    "12",
    "/",
    "Nri1/5",
    "A",
    "NBA1/".repeat(17),
    `NBA1${"/2".repeat(17)}`,
    `NBA1${"/x".repeat(200)}`,
  ])("%j is not an event", (data) => expect(siaEvents(data)).toBeUndefined());
});
