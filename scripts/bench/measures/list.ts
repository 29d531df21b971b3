import { launch, RECORDS_PATH, type Running } from "../contenders/contender.ts";
import { santinela } from "../contenders/santinela.ts";
import type { Ground } from "../plan.ts";
import { readPage } from "../requests.ts";
import { noteMachine } from "../machine.ts";
import { seeded } from "./seeded.ts";

/** What a technician's page asks for: two filters, the newest first. */
const PAGE = "status=planned&priority=high&_sort=dateStart&_order=DESC&_start=0&_end=25";
/** One in nine rows that seed.mjs writes is planned and of high priority. */
const FITTING = 1 / 9;
const SMALL_ROWS = 1_000;

/** The first page of a filtered and sorted list, of a small table and of a large one. */
export async function measureLists(ground: Ground): Promise<void> {
  const { scale, notebook, tell } = ground;
  const small = await filled(ground, SMALL_ROWS);
  const large = await filled(ground, scale.rows);
  for (let round = 0; round < scale.rounds; round += 1) {
    tell(`  list: round ${round + 1} of ${scale.rounds}`);
    noteMachine(ground);
    notebook.note("list-small", "santinela", (await readPage(small, PAGE, ground)).p50Ms);
    notebook.note("list-large", "santinela", (await readPage(large, PAGE, ground)).p50Ms);
  }
  await small.child.end();
  await large.child.end();
}

/** An installation with a number of records, running. */
async function filled(ground: Ground, rows: number): Promise<Running> {
  const setting = { children: ground.children, folder: await seeded(ground, rows), environment: {} };
  const running = await launch(santinela, setting);
  await assertFilled(running, rows);
  return running;
}

/** A page that is quick because its rows are missing would be no figure. */
async function assertFilled({ site, token }: Running, rows: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${site.port}${RECORDS_PATH}?${PAGE}`, {
    headers: { Authorization: `Bearer ${token}` },
  });
  const total = Number(answer.headers.get("X-Total-Count"));
  const page = (await answer.json()) as unknown[];
  if (page.length !== 25 || Math.abs(total - rows * FITTING) > 5)
    throw new Error(`of ${rows} rows the list counts ${total} and shows ${page.length}`);
}
