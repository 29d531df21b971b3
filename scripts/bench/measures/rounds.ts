import { launch, type Contender, type ContenderName, type Running } from "../contenders/contender.ts";
import { noteMachine } from "../machine.ts";
import type { Ground } from "../plan.ts";

/** Of those that can be measured here, the named ones. */
export function chosen(ground: Ground, names: readonly ContenderName[]): Contender[] {
  return ground.contenders.filter(({ name }) => names.includes(name));
}

/**
 * Runs an action with a contender. A failure is reported and not thrown, so that the others are measured.
 * @returns whether it was done
 */
export async function leavingOut(
  { signal, tell }: Ground,
  what: string,
  name: ContenderName,
  act: () => Promise<void>,
): Promise<boolean> {
  signal.throwIfAborted();
  try {
    await act();
    return true;
  } catch (error) {
    signal.throwIfAborted();
    tell(`  ${what}: ${name} is left out: ${reasonOf(error)}`);
    return false;
  }
}

/** The message of an error, with that of its cause: `fetch` says only that it failed. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${reasonOf(error.cause)})`;
}

export interface Race {
  readonly what: string;
  readonly contenders: readonly Contender[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Once, before the first round. */
  readonly first?: (running: Running) => Promise<void>;
  /** One contender's part of a round. */
  readonly work: (running: Running) => Promise<void>;
  /** Once, after the last round. */
  readonly last?: (running: Running) => Promise<void>;
}

/** Starts contenders, does the rounds with all of them in turn, and ends them. */
export async function interleave(ground: Ground, race: Race): Promise<void> {
  const { children, scale, tell } = ground;
  const { contenders, environment = {}, first, work, last, what } = race;
  const inRace = new Set<Running>();
  const attempt = async (running: Running, act: () => Promise<void> | undefined): Promise<void> => {
    if (await leavingOut(ground, what, running.name, async () => act())) return;
    inRace.delete(running);
    await running.child.end();
  };
  for (const contender of contenders) {
    const { name } = contender;
    tell(`  ${what}: starting ${name}`);
    await leavingOut(ground, what, name, async () => {
      const running = await launch(contender, { children, folder: ground.folder.folder(name), environment });
      inRace.add(running);
      await attempt(running, () => first?.(running));
    });
  }
  for (let round = 0; round < scale.rounds; round += 1) {
    tell(`  ${what}: round ${round + 1} of ${scale.rounds}`);
    noteMachine(ground);
    for (const running of inRace) await attempt(running, () => work(running));
  }
  for (const running of inRace) {
    await attempt(running, () => last?.(running));
    await running.child.end();
  }
}
