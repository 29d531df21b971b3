import { Worker } from "node:worker_threads";
import type { BackupResult, BackupTask } from "./backup-worker.ts";
import { SystemClock } from "./system-clock.ts";

// The process that `BackupCheckProcess` starts. The check is in a thread, so that this one stays able to end both: when the daemon
// is gone, killed or not, and when the time is over. An exit would wait for the thread, so this is no exit.
const end = (): void => void process.kill(process.pid, "SIGKILL");
const answer = (said: BackupResult): void => void process.send?.(said, end);
const [, , ordered = "{}", limitMs = "0"] = process.argv;
const order = JSON.parse(ordered) as BackupTask;
process.once("disconnect", end);
// It may have gone while this file was being loaded.
if (!process.connected) end();
new SystemClock().after(Number(limitMs), () => {
  const message = `${order.file} cannot be restored: its check takes longer than ${Number(limitMs) / 1000} s`;
  const hint = "The regular copies are in the folder backups of the data folder.";
  answer({ error: { code: "bad-data", message, hint } });
});
const thread = new Worker(new URL("backup-worker-main.js", import.meta.url), { workerData: order });
thread.once("message", answer);
