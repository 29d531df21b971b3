import { TASK_HEAP_MB, type BackupResult, type BackupTask } from "./backup-worker.ts";
import { startThread } from "./limited-thread.ts";
import { SystemClock } from "./system-clock.ts";

// The process that `BackupWorker` starts for a check. The check runs in a thread, so that this process can end both when
// the daemon exits or the time is over. A normal exit would wait for the thread, so the process kills itself.
const end = (): void => void process.kill(process.pid, "SIGKILL");
const reply = (result: BackupResult): void => void process.send?.(result, end);
const [, , taskJson = "{}", limitMs = "0"] = process.argv;
const task = JSON.parse(taskJson) as BackupTask;
process.once("disconnect", end);
// The daemon may have exited while this file was loaded.
if (!process.connected) end();
new SystemClock().after(Number(limitMs), () => {
  const message = `${task.file} cannot be restored: its check takes longer than ${Number(limitMs) / 1000} s`;
  const hint = "The scheduled backups are in the directory backups of the data directory.";
  reply({ error: { kind: "app", code: "bad-data", message, hint, stack: undefined } });
});
const thread = startThread(new URL("backup-worker-main.js", import.meta.url), {
  workerData: task,
  heapMb: TASK_HEAP_MB,
});
thread.once("message", reply);
