import { RepeatedMessages } from "../../src/inputs/dc09/repeated-messages.ts";
import { openJournalDatabase } from "../../src/store/journal-database.ts";
import { Journal } from "../../src/store/journal.ts";
import { ManualClock } from "./manual-clock.ts";
import { seededRandom } from "./seeded-random.ts";

const PLAIN = { sentWallMs: null, encryptedWallMs: null, lastBlock: null } as const;

/**
 * Lets a panel without times send a message a minute, so that its sequences wrap each week, and repeat some within an
 * hour, also after a restart of the daemon.
 * @returns new messages that were taken for repetitions, repetitions that were not recognised, and the rows that are left
 */
export function wrappingSequences(days: number): {
  readonly wrong: readonly string[];
  readonly rows: number;
} {
  const clock = new ManualClock();
  const database = openJournalDatabase(":memory:");
  const journal = new Journal(database, clock);
  const random = seededRandom(5);
  let repeated = new RepeatedMessages({ journal, clock });
  const wrong: string[] = [];
  for (let minute = 1; minute <= days * 24 * 60; minute += 1) {
    clock.advance(60_000);
    // Eight different contents, as of a panel with four zones: the same one returns with the same sequence.
    const sequence = String((minute % 9_999) + 1).padStart(4, "0");
    const message = { account: "1234", sequence, hash: `zone ${Math.floor(random() * 8)}`, ...PLAIN };
    if (repeated.storedEvents(message) === "all") wrong.push(`minute ${minute} was swallowed`);
    repeated.remember(message);
    if (minute % 97 !== 0) continue;
    clock.advance(Math.floor(random() * 3_600_000));
    if (minute % 9_700 === 0) repeated = new RepeatedMessages({ journal, clock });
    if (repeated.storedEvents(message) !== "all")
      wrong.push(`minute ${minute}: the repetition was not recognised`);
  }
  const rows = journal.alarmPanels.messages().length;
  database.close();
  return { wrong, rows };
}
