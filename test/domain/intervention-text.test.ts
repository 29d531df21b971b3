import { expect, test } from "vitest";
import { withTime } from "../../src/domain/intervention-text.ts";

const RO = { locale: "ro", timezone: "Europe/Bucharest" } as const;
const EN = { ...RO, locale: "en" } as const;
const FROM_MS = Date.UTC(2026, 10, 20, 21, 30);
const TO_MS = FROM_MS + 90_000;

test.each([
  ["a Romanian text", RO, "declanșată la 20.11.2026 23:30:00.", "declanșată la 20.11.2026 23:31:30."],
  ["an English text", EN, "tripped at 2026-11-20 23:30:00.", "tripped at 2026-11-20 23:31:30."],
  [
    "a Romanian text of an earlier release",
    RO,
    "declanșată la 2026-11-20 23:30:00.",
    "declanșată la 2026-11-20 23:31:30.",
  ],
  [
    "a text of before the language was changed",
    EN,
    "declanșată la 20.11.2026 23:30:00.",
    "declanșată la 20.11.2026 23:31:30.",
  ],
  [
    "a text without a time",
    RO,
    "declanșată la o oră încă necunoscută.",
    "declanșată la 20.11.2026 23:31:30.",
  ],
  ["a text that a user has written", RO, "Vecinul a sunat la 23:30.", "Vecinul a sunat la 23:30."],
  ["no text", RO, null, null],
])("the time of %s is corrected in the form in which it is there", (_what, site, text, corrected) => {
  expect(withTime(text, FROM_MS, TO_MS, site)).toBe(corrected);
});
