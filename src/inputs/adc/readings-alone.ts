/**
 * The last reading of each converter that is under way or waits, by the directory of the converter. Of the process: a reading
 * that hangs outlasts a run of the daemon, and the next run must not add another one.
 */
const LAST = new Map<string, Promise<unknown>>();

/**
 * Reads a converter after all earlier readings of it have ended: one that hangs then occupies one thread of the pool, however
 * many zones, trials and runs ask for it.
 * @param folder directory of the converter
 * @param isWanted asked when its turn has come
 * @returns what was read; undefined if it is no longer wanted
 * @throws the error of the reading
 */
export async function readAlone<T>(
  folder: string,
  read: () => Promise<T>,
  isWanted: () => boolean,
): Promise<T | undefined> {
  const before = LAST.get(folder);
  const reading = (async () => {
    if (before) await before;
    return isWanted() ? read() : undefined;
  })();
  const ended = Promise.allSettled([reading]);
  LAST.set(folder, ended);
  try {
    return await reading;
  } finally {
    if (LAST.get(folder) === ended) LAST.delete(folder);
  }
}
