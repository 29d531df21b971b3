#!/usr/bin/env node
import { closeSync, openSync } from "node:fs";

// Nothing of the program is loaded before the version check: an older Node.js would fail with an unclear error.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`santinela needs Node.js 20.19 or newer; this is ${process.versions.node}\n`);
  process.exit(1);
}

// Databases and backups are readable by the service's user and group only.
process.umask(0o027);

// An unwritable log (full disk, closed pipe) must not stop the daemon. Other commands fail if they cannot print their
// result, except when the reader closes the pipe early (| head).
const command = process.argv.slice(2).find((word) => !word.startsWith("-"));
const isDaemon = command === "serve" || command === "centre";
process.stderr.on("error", () => {});
process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
  if (code !== "EPIPE" && !isDaemon) process.once("exit", () => (process.exitCode ||= EXIT_INPUT_OUTPUT));
});
/** Everything is stopped and stored by then; what is left hangs. Systemd would wait for 20 s. */
const END_MS_MAX = 3_000;
/** EX_IOERR of BSD's sysexits.h. */
const EXIT_INPUT_OUTPUT = 74;

for (const event of ["uncaughtException", "unhandledRejection"] as const) {
  process.on(event, (error: unknown) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${JSON.stringify({ level: "error", event: "defect", error: text })}\n`);
    process.exit(70);
  });
}

// A reload requested during the start runs after it; by default SIGHUP would end the process. In a terminal, SIGHUP
// means that the terminal was closed, and the daemon stops.
let reload: (() => void) | undefined;
let isReloadRequested = false;
let hangUp: () => void = () => process.exit(129);
if (isDaemon)
  process.on("SIGHUP", () => {
    if (process.stdin.isTTY && !hasTerminal()) hangUp();
    else if (reload) reload();
    else isReloadRequested = true;
  });

function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}

// No `await` outside a function: the program is bundled as CommonJS. A rejection is handled above.
void run();

async function run(): Promise<void> {
  const { runCommandLine } = await import("./cli/program.ts");
  process.exitCode = await runCommandLine(process.argv.slice(2), {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    main: process.argv[1] ?? import.meta.filename,
    untilSignal: () =>
      new Promise((resolve) => {
        for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
        // A lost session must end a walk test, which suppresses all alarms.
        if (!isDaemon) process.once("SIGHUP", () => resolve());
        hangUp = resolve;
      }),
    onReloadRequested: (requestReload) => {
      reload = requestReload;
      if (isReloadRequested) requestReload();
    },
    kill: () => process.kill(process.pid, "SIGKILL"),
  });
  // A reading that waits in the kernel keeps Node.js from ending, even with process.exit().
  if (isDaemon || command === "doctor")
    AbortSignal.timeout(END_MS_MAX).addEventListener("abort", () => process.kill(process.pid, "SIGKILL"));
}
