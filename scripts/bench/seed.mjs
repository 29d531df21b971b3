// Fills an installation's database with rows, through the layer that writes every record, but without a flush each:
// node seed.mjs DATABASE ROWS [PRIORITIES]. The installation has been started once before and is not running.
import { randomUUID } from "node:crypto";
import { InterventionService } from "../../build/service/interventions.js";
import { openMainDatabase } from "../../build/store/main-database.js";

const [path, rows, priorities = "low,medium,high"] = process.argv.slice(2);
const PRIORITIES = priorities.split(",");
const BATCH = 1_000;

const database = openMainDatabase(path);
// No durability is needed here; the next start sets the pragmas of a durable database.
database.pragma("journal_mode = MEMORY");
database.pragma("synchronous = OFF");
database.pragma("locking_mode = EXCLUSIVE");
database.pragma("cache_size = -200000");
const service = new InterventionService({
  database,
  clock: { wallMs: () => Date.now(), monotonicMs: () => performance.now() },
  timezone: "Europe/Bucharest",
  dispeceratId: 1,
  newUid: randomUUID,
  onChange: () => {},
});
const principal = { accountId: 1, email: "bench@site.example", role: "operator", from: "bench" };

const insertBatch = database.transaction((first) => {
  for (let row = first; row < first + BATCH; row += 1) service.create(bodyOf(row), principal);
});
for (let row = 0; row < Number(rows); row += BATCH) insertBatch(row);
database.close();

/** Every mix of status, priority and type in turn, and dates that do not come in the order of the ids. */
function bodyOf(row) {
  const day = String(1 + ((row * 17) % 28)).padStart(2, "0");
  const month = String(1 + ((row * 7) % 12)).padStart(2, "0");
  const hour = String((row * 5) % 24).padStart(2, "0");
  return {
    name: `Efracție ${row}`,
    dateStart: `${2000 + (row % 26)}-${month}-${day}T${hour}:30:00`,
    status: ["planned", "in_progress", "done"][row % 3],
    priority: PRIORITIES[Math.floor(row / 3) % PRIORITIES.length],
    type: ["maintenance", "inspection", "repair", "other"][Math.floor(row / 9) % 4],
    objectiveType: "obiective/cladiri",
    objectiveId: 1 + (row % 500),
    crews: 1,
  };
}
