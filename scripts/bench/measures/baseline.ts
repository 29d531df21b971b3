import type { Contender, ContenderName } from "../contenders/contender.ts";
import { ablationContenders } from "../contenders/ablation.ts";
import { noteMachine } from "../machine.ts";
import type { Ground } from "../plan.ts";
import { fill, post, read } from "../requests.ts";
import { brokerMissing } from "./broker.ts";
import { burst } from "./burst.ts";
import { atSensors } from "./trip.ts";
import { chosen, interleave, leavingOut } from "./rounds.ts";

/** The effect of each optimisation: the product compared with copies without it. */
export async function measureAlone(ground: Ground): Promise<void> {
  const { notebook } = ground;
  const whole = chosen(ground, ["santinela"]);
  await interleave(ground, {
    what: "alone",
    contenders: [...whole, ...ablationContenders("requests")],
    first: (running) => fill(running, ground),
    work: async (running) => {
      notebook.note("alone-post-64", running.name, (await post(running, 64, ground)).perSecond);
      notebook.note("alone-get-8", running.name, (await read(running, 8, ground)).perSecond);
    },
  });
  await measureBursts(ground, [...whole, ...ablationContenders("trips")]);
}

async function measureBursts(ground: Ground, contenders: readonly Contender[]): Promise<void> {
  const { scale, notebook, tell, slowFlush = {} } = ground;
  const missing = brokerMissing();
  if (missing !== undefined) {
    tell(`  bursts are left out: ${missing}`);
    return;
  }
  const failed = new Set<ContenderName>();
  for (let round = 0; round < scale.aloneRounds; round += 1) {
    noteMachine(ground);
    for (const contender of contenders.filter(({ name }) => !failed.has(name))) {
      const { name } = contender;
      tell(`  alone: burst ${round + 1} of ${scale.aloneRounds}, ${name}`);
      const isDone = await leavingOut(ground, "alone", name, () =>
        atSensors(ground, contender, slowFlush, async (...site) => {
          const { perSecond } = await burst(ground, scale.aloneBurst, ...site);
          notebook.note("alone-burst", name, perSecond);
        }),
      );
      if (!isDone) failed.add(name);
    }
  }
}
