import type { ZoneKind } from "../../domain/zone.ts";
import type { CodeChange, CodeMeaning } from "./alarm-panel-code.ts";

/** A code of SIA DC-03 with the codes of the beginnings that it concerns: one, or all that a restoral ends. */
interface SiaMeaning {
  readonly bases: readonly string[];
  readonly change: CodeChange;
  readonly meaning: CodeMeaning;
}

/** DC-03, table of data codes: the first letter is the class of the point, here with the zone type of its alarms. */
const KIND_OF_CLASS: Readonly<Record<string, ZoneKind>> = {
  B: "intrusion",
  F: "fire",
  G: "gas",
  H: "holdup",
  K: "fire",
  M: "medical",
  P: "panic",
  Q: "medical",
  S: "fire",
  U: "intrusion",
  W: "flood",
  Z: "technical",
};

const TAMPER = { what: "tamper" } as const;
const TROUBLE = { what: "trouble" } as const;
const NOTE = { what: "note" } as const;
const TEST = { what: "test" } as const;
const BYPASS = { what: "bypass" } as const;
/** As in Contact ID: an opening ends the bypass of a burglary or untyped point, a closing that the system is not armed. */
const BYPASS_WHILE_ARMED = { what: "bypass", endsAt: "opening" } as const;
const UNARMED = { what: "trouble", endsAt: "closing" } as const;
const ARMING = { what: "arming" } as const;
const BATTERY = { what: "battery" } as const;
const SUPERVISION = { what: "supervision" } as const;

/**
 * The second letter of a class: what of it, and whether it begins or ends; `bases` are the letters of what begins, or of all that
 * ends. DC-03: R ends "alarm or trouble" of the point, H its alarm, J its trouble. Nothing but R ends lost supervision (Y, Z). Ajax
 * ends supervisory conditions (S) with J.
 */
const OF_CLASS: Readonly<
  Record<
    string,
    { readonly bases: string; readonly change: CodeChange; readonly meaning: CodeMeaning | "alarm" }
  >
> = {
  A: { bases: "A", change: "new", meaning: "alarm" },
  H: { bases: "AVMG", change: "restored", meaning: "alarm" },
  R: { bases: "AVMGTSYZ", change: "restored", meaning: "alarm" },
  V: { bases: "A", change: "new", meaning: "alarm" },
  B: { bases: "B", change: "new", meaning: BYPASS },
  U: { bases: "B", change: "restored", meaning: BYPASS },
  T: { bases: "T", change: "new", meaning: TROUBLE },
  J: { bases: "TS", change: "restored", meaning: TROUBLE },
  S: { bases: "S", change: "new", meaning: TROUBLE },
  X: { bases: "X", change: "new", meaning: TEST },
  Y: { bases: "Y", change: "new", meaning: SUPERVISION },
  Z: { bases: "Z", change: "new", meaning: SUPERVISION },
};

/**
 * Codes that begin something, the codes that end it, and its meaning. A code that ends several has the meaning of the first of them.
 * That of a class of points (`BR`) ends what is listed here in addition.
 */
const PAIRS: readonly (readonly [codes: string, ends: string, meaning: CodeMeaning])[] = [
  // Tamper of points, expansion devices and radio receivers.
  ["TA", "TR TH", TAMPER],
  ["TT", "TR TJ", TAMPER],
  ["ES", "EJ", TAMPER],
  ["XS", "XJ", TAMPER],
  ["TB", "TU", BYPASS],
  ["BB", "BU", BYPASS_WHILE_ARMED],
  ["UB", "UU", BYPASS_WHILE_ARMED],
  // A point that was left out because the system was armed in spite of it.
  ["XW", "BU UU", BYPASS_WHILE_ARMED],
  // A moved detector (Ajax), a panel that was replaced.
  ["SM AA", "TR", TAMPER],
  // Batteries and supervision of transmitters. XL is a weak signal; Ajax reports a lost detector with it, which XC ends. A point
  // that was missing at the end of an exit delay, after a closing, or beside an alarm of another point.
  ["XT", "XR", BATTERY],
  ["XL", "XC", SUPERVISION],
  ["EZ CM XM", "BR UR", SUPERVISION],
  // Mains, batteries, power supply of the panel.
  ["AT", "AR", TROUBLE],
  ["YT YM", "YR", TROUBLE],
  ["YP", "YQ", TROUBLE],
  ["YI", "YJ", TROUBLE],
  // An earth fault, as the panels of Interlogix report it.
  ["GF", "GK", TROUBLE],
  // Communication: telephone lines, network, radio interference, lost data.
  ["LT", "LR", TROUBLE],
  ["NT NC", "NR", TROUBLE],
  ["YC YS RT", "YK", TROUBLE],
  ["XQ", "XH", TROUBLE],
  // Expansion devices, sounders, outputs, equipment. EP is a wrong device (Bosch).
  ["EM", "EN", TROUBLE],
  ["ET EP", "ER", TROUBLE],
  ["IA", "IR", TROUBLE],
  ["YA", "YH", TROUBLE],
  ["OU", "OV", TROUBLE],
  // A fire sensor that has to be cleaned, a zone without activity.
  ["AS", "AN", TROUBLE],
  ["NA", "NS", TROUBLE],
  // The standard has no end for damaged data and for errors of a self-test: the completed service is that.
  ["YX YF YU", "YZ", TROUBLE],
  // Ajax: the hub is switched off, the channel of the photos is lost.
  ["ZZ", "ZY", TROUBLE],
  ["PF", "PO", TROUBLE],
  // The ends of fire supervisory conditions; V of other classes is an alarm that was verified.
  ["FS", "FV", TROUBLE],
  ["FW", "FQ FR", TROUBLE],
  // A burglary point that swings; doors that were forced or left open, as an alarm and as a trouble; too many wrong codes.
  ["BD", "BE BR", TROUBLE],
  ["DF", "DR", { what: "alarm", kind: "intrusion" }],
  ["DL", "DR DH", { what: "alarm", kind: "intrusion" }],
  ["DT DJ", "DR", TROUBLE],
  ["DM", "DR DH", TROUBLE],
  ["JA", "JC", TROUBLE],
  // An exit error is an alarm of the zone, as is a point that confirms or crosses another.
  ["EA", "BR BH UR UH", { what: "alarm", kind: "intrusion" }],
  ["EE BM BG UG", "", { what: "alarm", kind: "intrusion" }],
  ["FM FG", "", { what: "alarm", kind: "fire" }],
  // An alarm of an undefined kind, not a test.
  ["UX", "UR UH", { what: "alarm", kind: "intrusion" }],
  // Ajax: the night mode is ended under duress.
  ["ND", "", { what: "alarm", kind: "holdup" }],
  // Openings end with closings: what is armed is restored. AF, CB and NB, NO, NP and OB are of scenarios and the night mode of
  // Ajax. Its NC is left with the meaning of the standard, the state of a network. OZ and CZ are of one point: OZ does not disarm
  // the area around it, and CZ arms that, because an extra alarm is better than a missed one.
  ["OP OA OB OG OH OJ OK OQ OR OS NO NP", "CL CA CB CF CG CJ CK CP CQ CR CS CZ NL NF NM NB AF", ARMING],
  // The closing is missing, or has been for long.
  ["CD CI", "", UNARMED],
  // Recorded only: cancels, missing openings, early and late closings, programming, remote access, access control, a reset.
  ["BC FC GC HC MC QC SC UC WC OC OZ", "", NOTE],
  ["CC CE CO CT CW CX NE OI OL OT AB FL MI EX PC PD PE PG", "", NOTE],
  ["LB LD LE LF LS LU LX RA RB RC RD RN RO RR RS RU YG YY YB YN YO YD YE YW", "", NOTE],
  ["DA DB DC DD DE DG DI DK DN DO DP DQ DS DU DV DW DX DY DZ", "", NOTE],
  ["JD JH JK JL JO JP JR JS JT JV JX JY JZ XE XF XI XA XB VI VO VR VT VX VY VZ", "", NOTE],
  // Tests: automatic, manual, walk test, fire test.
  ["RP RX RY TX TC TP XX FI FK", "", TEST],
  ["TS", "TE", TEST],
  ["TW", "TZ", TEST],
];

/** DC-03: an area that was opened, closed or armed along its perimeter, or was not when it should have been. */
const OF_AREA: ReadonlySet<string> = new Set("OA OG OI CA CD CG CI CT CW NF NL NM".split(" "));

/** Whether the standard gives a code the number of an area, and not of a zone or user. @param code two capital letters */
export function hasAreaNumber(code: string): boolean {
  return OF_AREA.has(code);
}

const BEGINNINGS: ReadonlyMap<string, CodeMeaning> = new Map(
  PAIRS.flatMap(([codes, , meaning]) => codes.split(" ").map((code) => [code, meaning] as const)),
);

/** The codes of beginnings that the table lists for the end of each code. */
const ENDED_BY: ReadonlyMap<string, readonly string[]> = new Map(
  PAIRS.flatMap(([, ends]) => (ends === "" ? [] : ends.split(" "))).map((end) => [
    end,
    PAIRS.flatMap(([codes, ends]) => (ends.split(" ").includes(end) ? codes.split(" ") : [])),
  ]),
);

/** The meaning of a code. @param code two capital letters. @returns undefined for an unknown one */
export function siaMeaning(code: string): SiaMeaning | undefined {
  const begins = BEGINNINGS.get(code);
  if (begins) return { bases: [code], change: "new", meaning: begins };
  const ended = ENDED_BY.get(code) ?? [];
  const [first = ""] = ended;
  const meaning = BEGINNINGS.get(first);
  return ofClass(code, ended) ?? (meaning && { bases: ended, change: "restored", meaning });
}

/** @param ended what the table lists for it in addition */
function ofClass(code: string, ended: readonly string[]): SiaMeaning | undefined {
  const point = code.slice(0, 1);
  const kind = KIND_OF_CLASS[point];
  const part = OF_CLASS[code.slice(1)];
  // FV and ZY end something, although V and Y begin something in a class.
  if (!kind || !part || (ended.length > 0 && part.change === "new")) return undefined;
  const { bases, change, meaning } = part;
  return {
    bases: [...Array.from(bases, (letter) => point + letter), ...ended],
    change,
    meaning: meaning === "alarm" ? { what: "alarm", kind } : meaning,
  };
}
