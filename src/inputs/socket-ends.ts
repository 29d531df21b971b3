import type { Socket } from "node:net";
import type { Clock } from "../domain/clock.ts";

/** Time in which a client gets what is queued for it when the broker ends; one that has lost its power never does. */
const END_MS_MAX = 500;

/** Ends connections, so that what is queued for them is sent first; destroys those that have not ended in time. */
export async function endSockets(sockets: readonly Socket[], clock: Pick<Clock, "after">): Promise<void> {
  const cancel = clock.after(END_MS_MAX, () => {
    for (const socket of sockets) socket.destroy();
  });
  const ends = sockets.map(
    (socket) =>
      new Promise<void>((resolve) => {
        socket.once("close", () => resolve());
        socket.end();
      }),
  );
  await Promise.all(ends);
  cancel();
}
