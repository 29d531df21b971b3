import type { ZoneKind } from "../../domain/zone.ts";
import type { CodeChange, CodeMeaning } from "./alarm-panel-code.ts";

/** A code of SIA DC-03 with the code of its beginning. */
interface SiaMeaning {
  readonly base: string;
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
const ARMING = { what: "arming" } as const;
const BATTERY = { what: "battery" } as const;
const SUPERVISION = { what: "supervision" } as const;

/** The second letter of a class: what of it, and whether it begins or ends; `base` is the letter of its beginning. */
const OF_CLASS: Readonly<
  Record<
    string,
    { readonly base: string; readonly change: CodeChange; readonly meaning: CodeMeaning | "alarm" }
  >
> = {
  A: { base: "A", change: "new", meaning: "alarm" },
  H: { base: "A", change: "restored", meaning: "alarm" },
  R: { base: "A", change: "restored", meaning: "alarm" },
  V: { base: "A", change: "new", meaning: "alarm" },
  B: { base: "B", change: "new", meaning: BYPASS },
  U: { base: "B", change: "restored", meaning: BYPASS },
  T: { base: "T", change: "new", meaning: TROUBLE },
  J: { base: "T", change: "restored", meaning: TROUBLE },
  S: { base: "S", change: "new", meaning: TROUBLE },
  X: { base: "X", change: "new", meaning: TEST },
  Y: { base: "Y", change: "new", meaning: SUPERVISION },
  Z: { base: "Z", change: "new", meaning: SUPERVISION },
};

/** Pairs of codes that begin and end something, and codes without an end. */
const PAIRS: readonly (readonly [codes: string, ends: string, meaning: CodeMeaning])[] = [
  // Tamper of points, expansion devices and radio receivers.
  ["TA", "TR TH", TAMPER],
  ["TT", "TJ", TAMPER],
  ["ES", "EJ", TAMPER],
  ["XS", "XJ", TAMPER],
  ["TB", "TU", BYPASS],
  // A moved detector (Ajax), a panel that was replaced.
  ["SM AA", "", TAMPER],
  // Batteries and supervision of transmitters. XL is a weak signal; Ajax reports a lost detector with it, which XC ends.
  ["XT", "XR", BATTERY],
  ["XL", "XC", SUPERVISION],
  ["EZ", "", SUPERVISION],
  // Mains, batteries, power supply of the panel.
  ["AT", "AR", TROUBLE],
  ["YT YM", "YR", TROUBLE],
  ["YP", "YQ", TROUBLE],
  ["YI", "YJ", TROUBLE],
  // Communication: telephone lines, network, radio interference.
  ["LT", "LR", TROUBLE],
  ["NT", "NR", TROUBLE],
  ["NC", "", TROUBLE],
  ["YC YS", "YK", TROUBLE],
  ["XQ", "XH", TROUBLE],
  // Expansion devices, sounders, equipment.
  ["EM", "EN", TROUBLE],
  ["ET", "ER", TROUBLE],
  ["IA", "IR", TROUBLE],
  ["YA", "YH", TROUBLE],
  ["YX", "YZ", TROUBLE],
  ["RT YF YU YW", "", TROUBLE],
  // Ajax: the hub is switched off, the channel of the photos is lost.
  ["ZZ", "ZY", TROUBLE],
  ["PF", "PO", TROUBLE],
  // The ends of fire supervisory conditions; V of other classes is an alarm that was verified.
  ["FS", "FV", TROUBLE],
  ["FW", "FQ", TROUBLE],
  // A burglary point that swings, a forced door, a door left open, too many wrong codes.
  ["BD", "BE", TROUBLE],
  ["DF", "", { what: "alarm", kind: "intrusion" }],
  ["DT", "DR", TROUBLE],
  ["JA", "JC", TROUBLE],
  // An exit error is an alarm of the zone, as is a point that confirms or crosses another.
  ["EA EE", "", { what: "alarm", kind: "intrusion" }],
  ["BM BG UG", "", { what: "alarm", kind: "intrusion" }],
  ["FM FG", "", { what: "alarm", kind: "fire" }],
  // An alarm of an undefined kind, not a test.
  ["UX", "", { what: "alarm", kind: "intrusion" }],
  // Ajax: the night mode is ended under duress.
  ["ND", "", { what: "alarm", kind: "holdup" }],
  // Openings end with closings: what is armed is restored. AF, CB and NB, NO, NP and OB are of scenarios and the night mode of
  // Ajax. Its NC is left with the meaning of the standard, the state of a network. OZ and CZ are of one point: OZ does not disarm
  // the area around it, and CZ arms that, because an extra alarm is better than a missed one.
  ["OP OA OB OG OH OJ OK OQ OR OS NO NP", "CL CA CB CF CG CJ CK CP CQ CR CS CZ NL NF NM NB AF", ARMING],
  // Recorded only: cancels, delinquent openings and closings, programming, remote access, access control.
  ["BC FC GC HC MC QC SC UC WC OC OZ", "", NOTE],
  ["CC CD CE CI CO CT CW CX NE OI OL OT OU OV CM AB FL MI EX PC PD PE PG", "", NOTE],
  ["LB LD LE LF LS LU LX RA RB RC RD RN RO RR RS RU YG YY YB YN YO YD YE", "", NOTE],
  ["DA DB DC DD DE DG DH DI DJ DK DL DM DN DO DP DQ DS DU DV DW DX DY DZ", "", NOTE],
  ["JD JH JK JL JO JP JR JS JT JV JX JY JZ NA NS AN AS XE XF XI XM XW XA XB VI VO VR VT VX VY VZ", "", NOTE],
  // Tests: automatic, manual, walk test, fire test.
  ["RP RX RY TX TC TP XX FI FK", "", TEST],
  ["TS", "TE", TEST],
  ["TW", "TZ", TEST],
];

const FIRST_OF = new Map(
  PAIRS.filter(([, ends]) => ends !== "").flatMap(([begins]) => {
    const codes = begins.split(" ");
    return codes.map((code) => [code, codes[0] ?? code] as const);
  }),
);

const BY_CODE = new Map<string, SiaMeaning>(
  PAIRS.flatMap(([begins, ends, meaning]) => {
    const codes = begins.split(" ");
    const [base = ""] = codes;
    return [
      ...codes.map((code) => [code, { base: code, change: "new", meaning }] as const),
      ...(ends === ""
        ? []
        : ends.split(" ").map((code) => [code, { base, change: "restored", meaning }] as const)),
    ];
  }),
);

/** The first of the codes that one code ends, which the code of the end has as its base; a code alone is its own. */
export function endedTogether(base: string): string {
  return FIRST_OF.get(base) ?? base;
}

/**
 * The codes that the end of a point's alarm or trouble ends too. DC-03: a restoral ends "alarm or trouble", and nothing else ends
 * lost supervision; Ajax ends supervisory conditions with the end of a trouble.
 */
export function alsoEndedBy(code: string): readonly string[] {
  const point = code.slice(0, 1);
  const ended = { R: "TSYZ", J: "S" }[code.slice(1)];
  return ended === undefined || KIND_OF_CLASS[point] === undefined
    ? []
    : Array.from(ended, (letter) => point + letter);
}

/** The meaning of a code. @param code two capital letters. @returns undefined for an unknown one */
export function siaMeaning(code: string): SiaMeaning | undefined {
  const own = BY_CODE.get(code);
  if (own) return own;
  const kind = KIND_OF_CLASS[code.slice(0, 1)];
  const part = OF_CLASS[code.slice(1)];
  if (!kind || !part) return undefined;
  const { base, change, meaning } = part;
  return {
    base: `${code.slice(0, 1)}${base}`,
    change,
    meaning: meaning === "alarm" ? { what: "alarm", kind } : meaning,
  };
}
