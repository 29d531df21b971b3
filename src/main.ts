#!/usr/bin/env node
// Nothing is imported before the version check: an older Node would fail on the first import with a riddle.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`santinela needs Node.js 20.19 or newer; this is ${process.versions.node}\n`);
  process.exit(1);
}

// Databases and their copies are nobody's business but the service's user and group.
process.umask(0o027);

// A reader that goes away (| head) is no fault of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

for (const event of ["uncaughtException", "unhandledRejection"] as const) {
  process.on(event, (error: unknown) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${JSON.stringify({ level: "error", event: "defect", error: text })}\n`);
    process.exit(70);
  });
}

const { runCommandLine } = await import("./cli/program.ts");
process.exitCode = await runCommandLine(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  main: import.meta.filename,
  untilAsked: () =>
    new Promise((resolve) => {
      for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
    }),
  kill: () => process.kill(process.pid, "SIGKILL"),
});
