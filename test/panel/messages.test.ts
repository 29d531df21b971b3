import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CONDITIONS, CONDITION_MESSAGES, formatConditionMessage } from "../../src/domain/condition.ts";
import { CONFLICT_SENTENCES } from "../../src/domain/conflict.ts";
import { PHASE_WORDS } from "../../src/domain/outbox-phase-text.ts";
import { EVENT_NAMES } from "../../src/domain/event.ts";
import { EVENT_SENTENCES, OPEN_STATE_TEXTS, OUTCOMES } from "../../src/domain/event-sentence.ts";
import type { Plural } from "../../src/panel/messages/catalogue.ts";
import { EN } from "../../src/panel/messages/en.ts";
import { EN_FIELDS } from "../../src/panel/messages/en-fields.ts";
import { EN_MORE } from "../../src/panel/messages/en-more.ts";
import { RO } from "../../src/panel/messages/ro.ts";
import { RO_FIELDS } from "../../src/panel/messages/ro-fields.ts";
import { RO_DAEMON } from "../../src/panel/messages/ro-daemon.ts";
import { RO_MORE, translateToRomanian } from "../../src/panel/messages/ro-more.ts";
import { RO_CONDITION_MESSAGES } from "../../src/panel/messages/ro-condition-messages.ts";
import { daemonLiterals } from "../support/daemon-literals.ts";

const WHOLE = { ...EN, ...EN_MORE };

type Texts = Readonly<Record<string, string | Plural>>;

describe("the texts of the panel", () => {
  test("have the same keys, forms and placeholders in both languages", () => {
    expect(differences(EN, RO)).toEqual([]);
    expect(differences(EN_MORE, RO_MORE)).toEqual([]);
    expect(differences(EN_FIELDS, RO_FIELDS)).toEqual([]);
  });

  test.each<[string, Texts]>([
    ["a missing key", { a: "x {n}" }],
    ["a missing placeholder", { a: "x", b: { one: "{n}", other: "{n}" } }],
    ["an extra placeholder", { a: "x {n} {m}", b: { one: "{n}", other: "{n}" } }],
    ["a text instead of plural forms", { a: "x {n}", b: "{n}" }],
  ])("differ when there is %s", (_what, other) => {
    const words: Texts = { a: "x {n}", b: { one: "{n}", other: "{n}" } };
    expect(differences(words, words)).toEqual([]);
    expect(differences(words, other)).not.toEqual([]);
  });

  test("have every plural form of the language", () => {
    const languages: Readonly<Record<string, Texts>> = {
      en: { ...EN, ...EN_MORE },
      ro: { ...RO, ...RO_MORE },
    };
    for (const [language, words] of Object.entries(languages)) {
      const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
      for (const [key, value] of Object.entries(words))
        if (typeof value !== "string")
          expect([key, Object.keys(value).sort()]).toEqual([key, [...forms].sort()]);
    }
  });

  test("cover every condition and every event", () => {
    const wanted = [
      ...Object.keys(CONDITIONS).map((code) => `condition.${code}`),
      ...[...EVENT_NAMES, "trip", "fault", "fault-over", "signal"].map((name) => `event.${name}`),
    ];
    expect(wanted.filter((key) => !(key in WHOLE))).toEqual([]);
  });
});

test("a condition has the same English title in the panel as in the log", () => {
  const shown = Object.keys(CONDITIONS).map((code) => [code, (WHOLE as Texts)[`condition.${code}`]]);
  expect(shown).toEqual(Object.entries(CONDITIONS).map(([code, { title }]) => [code, title]));
});

test("an entry of the event log has the same English sentence in the panel as on the command line", () => {
  const shown = (prefix: string, keys: readonly string[]) =>
    Object.fromEntries(keys.map((key) => [key, (WHOLE as Texts)[`${prefix}${key}`]]));
  expect(shown("says.", Object.keys(EVENT_SENTENCES))).toEqual(EVENT_SENTENCES);
  expect(shown("says.conflict-", Object.keys(CONFLICT_SENTENCES))).toEqual(CONFLICT_SENTENCES);
  expect(shown("outcome.", Object.keys(OUTCOMES))).toEqual(OUTCOMES);
  const words = Object.keys(OPEN_STATE_TEXTS).map((kind) => [
    kind,
    (WHOLE as Texts)[`zoneWord.${kind}.open`],
  ]);
  expect(Object.fromEntries(words)).toEqual(OPEN_STATE_TEXTS);
});

test("the state of a record at the dispatch centre has the same English words in the panel as on the command line", () => {
  const shown = Object.keys(PHASE_WORDS).map((phase) => [phase, (WHOLE as Texts)[`phase.${phase}`]]);
  expect(Object.fromEntries(shown)).toEqual(PHASE_WORDS);
});

test("a Romanian condition message uses only values of the daemon", () => {
  for (const [code, sentence] of Object.entries(CONDITION_MESSAGES)) {
    const given = [...sentence.matchAll(/\{\w+\}/g)].map(([name]) => name);
    const taken = [...RO_CONDITION_MESSAGES[code as keyof typeof CONDITION_MESSAGES].matchAll(/\{\w+\}/g)];
    expect([code, taken.map(([name]) => name).filter((name) => !given.includes(name))]).toEqual([code, []]);
  }
  expect(formatConditionMessage("disk-full", { freeMb: 12, folder: "/var/lib/santinela" })).toBe(
    "12 MB is free on the disk of /var/lib/santinela. Below 16 MB new records of low and medium priority are rejected; alarms are stored. Remove unneeded files.",
  );
  const rejected = {
    centre: "https://centre.example",
    siteRef: "hala",
    answer: "answered 403: Set site.ref.",
  };
  expect(formatConditionMessage("upstream-rejects-reports", rejected)).toContain(
    "Set site.ref. Records are sent",
  );
  expect(formatConditionMessage("disk-full", "ENOSPC: {freeMb}")).toBe("ENOSPC: {freeMb}");
});

test("what the daemon says is translated as it says it", () => {
  const folder = new URL("../../src/", import.meta.url).pathname;
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !/^(panel|generated)\//.test(name))
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("\n");
  const unsaid = RO_DAEMON.filter(([english]) => {
    if (WORDS_OF_SQLITE.has(english)) return false;
    // `{centre}: ` is before what the centre itself says.
    // What is incomplete is named by a list of its own.
    const parts = english
      .replace(/ incomplete$/, "")
      .split(/\{\w+\}/)
      .map((part) => part.replace(/^: /, "").trim());
    const [longest = ""] = parts.toSorted((a, b) => b.length - a.length);
    return longest.length > 1 && !sources.includes(longest);
  });
  expect(unsaid).toEqual([]);
});

test("every refusal and condition that the panel can show has a Romanian translation", () => {
  const literals = daemonLiterals(["panel", "generated", "cli"]);
  expect(literals.length).toBeGreaterThan(250);
  const shown = literals.filter(({ code, file }) => !ENDS_THE_PROGRAM.has(code) && !AT_THE_START.has(file));
  const english = RO_DAEMON.map(([text]) => withBraces(text));
  // In the source a value is unknown; a sample of it must not be needed to find the translation.
  const isKnown = (text: string): boolean => {
    // Only a value, the form of a request, or one whose parts are tested below.
    if (!/\w/.test(text) || text.startsWith('{"') || COMPOSED.has(text)) return true;
    if (english.includes(withBraces(text)) || translateToRomanian(text.replaceAll("{}", "1.1")) !== undefined)
      return true;
    return ["; ", ". "].some((joint) => {
      const parts = text.split(joint);
      return parts.length > 1 && parts.every(isKnown);
    });
  };
  expect(shown.filter(({ text }) => !isKnown(text)).map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
});

const WORDS_OF_SQLITE: ReadonlySet<string> = new Set([
  "file is not a database",
  "database disk image is malformed",
]);

/** Texts made of others that have translations of their own; an example of each is below. */
const COMPOSED: ReadonlySet<string> = new Set([
  "converter {}: {} Not read: {}.",
  "alarm panel {} at {}",
  "the built-in broker stores at most {} topics or {} MiB of retained messages.{} The message of {} from {} was forwarded but not stored. Zones are not affected.",
  " One account may use at most {} % of that.",
  "{} Also at this limit: {}.",
]);

/** Codes of errors that end a command or the start of the daemon, with an exit code and a text on standard error. */
const ENDS_THE_PROGRAM: ReadonlySet<string> = new Set([
  "usage",
  "no-input",
  "cannot-create",
  "no-permission",
  "busy",
]);

/** Files whose errors end the start of the daemon or a command: there is no panel yet. */
const AT_THE_START: ReadonlySet<string> = new Set([
  "config/environment.ts",
  "http/listen.ts",
  "ops/recovery.ts",
  "ops/secrets.ts",
  "ops/stopped-centre.ts",
  "postgres/migrations.ts",
  "postgres/sqlite-move.ts",
  "store/addon.ts",
  "store/instance-lock.ts",
]);

/** A text with the same mark for each value, and without the full stop. */
function withBraces(text: string): string {
  return text.replace(/\{\w*\}/g, "{}").replace(/\.$/, "");
}

test("what the daemon says is translated with its values, or not at all", () => {
  expect(translateToRomanian("account ana@site.example already exists")).toBe(
    "contul ana@site.example există deja",
  );
  expect(translateToRomanian("name is required; crews must be at least 1")).toBe(
    "name: valoare obligatorie; crews: cel puțin 1",
  );
  expect(
    translateToRomanian("ana@x.ro is the last administrator. Make another account administrator first."),
  ).toBe("ana@x.ro este ultimul administrator. Acordați întâi altui cont rolul de administrator");
  expect(translateToRomanian("zones[1].input.gpio: line 18 is used by two zones, usa and hol")).toBe(
    "zones[1].input.gpio: linia 18 este folosită de două zone: usa și hol",
  );
  expect(
    translateToRomanian(
      "/etc/santinela.yaml:10:9: zones[0].supervision: unknown option. Did you mean supervisionTimeoutS?; the daemon keeps its previous configuration",
    ),
  ).toBe(
    "/etc/santinela.yaml:10:9: zones[0].supervision: opțiune necunoscută; poate ați vrut să scrieți supervisionTimeoutS; rămâne activă configurația anterioară",
  );
  expect(
    translateToRomanian(
      "the configuration file cannot be changed here: line 2, column 7: alias *sit has no anchor &sit before it; write the value out. Edit the file on the device, then run santinela reload.",
    ),
  ).toBe(
    "fișierul de configurare nu poate fi modificat de aici: linia 2, coloana 7: aliasul *sit nu are înaintea lui ancora &sit; scrieți valoarea întreagă. Modificați fișierul pe dispozitiv, apoi rulați santinela reload",
  );
  expect(translateToRomanian("zones[0].x: unknown option. Known here: id, name")).toBe(
    "zones[0].x: opțiune necunoscută; opțiuni posibile: id, name",
  );
  expect(
    translateToRomanian(
      "chip expander: the GPIO chip /dev/gpiochip2 cannot be opened: EACCES. Add the user to the group gpio; under systemd allow the device in the unit (DeviceAllow=char-gpiochip rw). Not read: usa, hol.",
    ),
  ).toBe(
    "cipul expander: cipul GPIO /dev/gpiochip2 nu poate fi deschis: EACCES. Adăugați utilizatorul în grupul gpio; sub systemd, permiteți accesul la dispozitiv în unitatea serviciului (DeviceAllow=char-gpiochip rw). Zone necitite: usa, hol",
  );
  expect(
    translateToRomanian(
      "line 17 can no longer be read: GPIO line 17 cannot be opened: another program or driver uses it. santinela gpio list shows the holder; stop it or use another line. It is reopened automatically.",
    ),
  ).toBe(
    "linia 17 nu mai poate fi citită: linia GPIO 17 nu poate fi deschisă: este folosită de alt program sau driver. santinela gpio list afișează programul care o folosește; opriți acel program sau folosiți altă linie. Se redeschide automat",
  );
  expect(
    translateToRomanian(
      "no GPIO chip with the label pinctrl-rp1 (found: gpio-mock). Set gpio.chip to one of the labels found. A chip that appears is used within seconds, without a restart. Not read: usa.",
    ),
  ).toBe(
    "nu există niciun cip GPIO cu eticheta pinctrl-rp1 (există: gpio-mock). Setați gpio.chip la una dintre etichetele găsite. Un cip conectat ulterior este folosit în câteva secunde, fără repornire. Zone necitite: usa",
  );
  expect(
    translateToRomanian(
      "converter adc0: no converter is called adc0 (found: none). Enable its driver (/usr/share/doc/santinela/docs/wiring.md). A converter that appears is used within seconds, without a restart. Not read: usa.",
    ),
  ).toMatch(/^convertorul adc0: niciun convertor .*Zone necitite: usa$/);
  expect(
    translateToRomanian(
      "alarm panel 1234 at 192.168.1.20: the alarm panel's time is wrong. The receiver has sent the right time; set its clock to UTC, or timestamps: ignored",
    ),
  ).toBe(
    "centrala de alarmă 1234 (192.168.1.20): ora centralei de alarmă este greșită. Receptorul a transmis ora corectă; setați ceasul centralei pe UTC sau, în configurație, timestamps: ignored",
  );
  expect(
    translateToRomanian(
      "from ::1: messages are longer than 4,095 bytes. Check that the sender speaks SIA DC-09",
    ),
  ).toBe("de la ::1: mesajele au peste 4.095 de octeți. Verificați dacă echipamentul transmite SIA DC-09");
  expect(
    translateToRomanian(
      'the client "camera" at 10.0.0.7 was disconnected and its session dropped: the built-in broker held 25 MiB for it, more than the limit per client: mostly messages that it does not read. Correct or stop that program, or run a separate broker (mqtt.url). Zones are not affected. Also at this limit: the client "logger" at 10.0.0.8; the client "old"; and others.',
    ),
  ).toBe(
    'clientul "camera" de la adresa 10.0.0.7 a fost deconectat, iar sesiunea lui a fost eliminată: brokerul inclus a reținut pentru el 25 MiB, peste limita unui client: mai ales mesaje pe care nu le citește. Corectați sau opriți acel program sau folosiți un broker separat (mqtt.url). Zonele nu sunt afectate. La aceeași limită: clientul "logger" de la adresa 10.0.0.8; clientul "old"; și alții',
  );
  expect(
    translateToRomanian(
      'the built-in broker stores at most 10000 topics or 16 MiB of retained messages. One account may use at most 75 % of that. The message of "a/b" from the client "camera" at 10.0.0.7 was forwarded but not stored. Zones are not affected.',
    ),
  ).toBe(
    'brokerul inclus păstrează cel mult 10000 de topicuri sau 16 MiB de mesaje reținute (retained). Un cont poate folosi cel mult 75 % din acestea. Mesajul "a/b" de la clientul "camera" de la adresa 10.0.0.7 a fost transmis mai departe, dar nu a fost păstrat. Zonele nu sunt afectate',
  );
  expect(
    translateToRomanian(
      "a client at 10.0.0.7 was rejected because it has no client id for its persistent session. Give that sensor or program a client id, or let it begin a clean session. Also at this limit: 10.0.0.8.",
    ),
  ).toMatch(
    /^un client de la adresa 10\.0\.0\.7 a fost respins: nu are client id .*La aceeași limită: 10\.0\.0\.8$/,
  );
  expect(
    translateToRomanian(
      "cannot listen on 127.0.0.1 port 1883: port in use: stop the other program or set mqtt.listen.port; if it is a broker, set mqtt.url",
    ),
  ).toBe(
    "portul 1883 nu poate fi deschis la adresa 127.0.0.1: port ocupat: opriți celălalt program sau setați mqtt.listen.port; dacă este un broker, setați mqtt.url",
  );
  expect(
    translateToRomanian(
      "2 GPIO chips have the label mcp23017; set gpio.chips.b.device to distinguish them (1-0020, 1-0021)",
    ),
  ).toMatch(/^2 cipuri GPIO au .*; setați gpio\.chips\.b\.device ca să le deosebiți \(1-0020, 1-0021\)$/);
  expect(translateToRomanian("was rejected as implausible: 3 of 10 are left")).toBe(
    "a fost respinsă ca neplauzibilă: 3 of 10 are left",
  );
  expect(translateToRomanian("was rejected as implausible: 6 of 10 objectives are missing")).toBe(
    "a fost respinsă ca neplauzibilă: obiective lipsă (6 din 10)",
  );
  expect(translateToRomanian("objective 12 does not exist in obiective/cladiri")).toBe(
    "obiectivul 12 nu există în lista „clădiri”",
  );
  expect(
    translateToRomanian(
      "zone usa: objective 12 of obiective/bunuri is not in objectives; import it, otherwise a placeholder name is used",
    ),
  ).toBe(
    "zona usa: obiectivul 12 nu este în lista „bunuri”; importați-l, altfel se folosește un nume provizoriu",
  );
  expect(translateToRomanian("this machine has no address 192.168.1.5; retrying")).toBe(
    "dispozitivul nu are adresa 192.168.1.5; se reîncearcă",
  );
  expect(translateToRomanian("port 8080 of 0.0.0.0 is in use by another program")).toBe(
    "portul 8080 la adresa 0.0.0.0 este folosit de alt program",
  );
  expect(
    translateToRomanian(
      "this user may not open port 443 of 192.0.2.7: let systemd open it with santinela.socket, or set http.port to 1024 or more",
    ),
  ).toMatch(
    /^acest utilizator nu are dreptul să deschidă portul 443 la adresa 192\.0\.2\.7: .*santinela\.socket/,
  );
  expect(
    translateToRomanian("dateEnd (2026-11-20T10:00:00Z) is before dateStart (2026-11-20T12:00:00Z)"),
  ).toBe("sfârșitul (2026-11-20T10:00:00Z) este înainte de început (2026-11-20T12:00:00Z)");
  expect(translateToRomanian("unknown zone usa. Known: hol, pod")).toBe(
    "zona usa nu există. Există: hol, pod",
  );
  expect(
    translateToRomanian(
      "answered 404: no such record; the dispatch centre has no newer record: this one was deleted there, or was lost in a restore from a backup; if it was lost, run santinela sync retry 12",
    ),
  ).toBe(
    "răspuns 404: no such record; dispeceratul nu are nicio înregistrare mai nouă: înregistrarea acestei intervenții a fost ștearsă acolo sau s-a pierdut la restaurarea dintr-o copie de siguranță; dacă s-a pierdut, rulați santinela sync retry 12",
  );
  expect(translateToRomanian("zones[1].input.gpio: something that no table has")).toBeUndefined();
  expect(translateToRomanian("something that no table has; name is required")).toBeUndefined();
});

test("the report of a recovered database is translated sentence by sentence", () => {
  const report = (...sentences: string[]) => translateToRomanian(sentences.join(" "));
  expect(
    report(
      "2026-11-20T10:00:00.000Z journal.db was damaged (the file is missing); a new database was created; no row could be salvaged.",
      "The damaged file is kept as /data/quarantine/journal.db.",
      "2 trips of the journal are posted again with their original keys.",
      "Read /data/recovery.txt, then remove it.",
    ),
  ).toBe(
    "2026-11-20T10:00:00.000Z journal.db era deteriorat (fișierul lipsește); s-a creat o bază de date nouă; niciun rând nu a putut fi recuperat. Fișierul deteriorat se păstrează ca /data/quarantine/journal.db. Declanșări retransmise din jurnalul declanșărilor cu cheile lor inițiale: 2. Citiți /data/recovery.txt, apoi ștergeți-l",
  );
  expect(
    report(
      "santinela.db was damaged (its write-ahead log is damaged; 3 rows differ); the backup of 2026-11-19T03:00:00.000Z was restored; rows salvaged: accounts 2, interventions 12; rows unusable: accounts 1.",
      "santinela.db has lost data: 1 missing, 0 altered, 2 pages damaged (interventions 13).",
    ),
  ).toBe(
    "santinela.db era deteriorat (its write-ahead log is damaged; 3 rows differ); s-a restaurat copia de siguranță creată la 2026-11-19T03:00:00.000Z; rânduri recuperate: accounts 2, interventions 12; rânduri inutilizabile: accounts 1. Din santinela.db s-au pierdut date. Lipsă: 1; modificate: 0; pagini deteriorate: 2 (intervenții 13)",
  );
  expect(report("journal.db was damaged and recovered; the details are lost.")).toBe(
    "journal.db a fost deteriorat și recuperat; detaliile s-au pierdut",
  );
});

test("each text of the daemon has its own translation, and not that of a more general one", () => {
  const filled = (text: string) =>
    text
      .replaceAll("{numbers}", "7, 12-15")
      .replaceAll("{quotedId}", '"camera"')
      .replace(/\{(\w+)\}/g, "$1.1");
  const others = RO_DAEMON.filter(([english, romanian]) => {
    // Only with a problem that has a translation itself, and an explanation without one is left out.
    if (/\{(problem|description)\}/.test(english)) return false;
    return translateToRomanian(filled(english)) !== filled(romanian);
  });
  expect(others).toEqual([]);
});

/** Keys whose plural forms or placeholders differ. */
function differences(a: Texts, b: Texts): string[] {
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return keys.filter((key) => shapeOf(a[key]) !== shapeOf(b[key]));
}

function shapeOf(words: string | Plural | undefined): string {
  if (words === undefined) return "missing";
  if (typeof words === "string") return `text ${placeholdersOf(words)}`;
  return `forms ${[...new Set(Object.values(words).map(placeholdersOf))].join("|")}`;
}

function placeholdersOf(text: string): string {
  return [...text.matchAll(/\{\w+\}/g)]
    .map(([name]) => name)
    .sort()
    .join();
}
