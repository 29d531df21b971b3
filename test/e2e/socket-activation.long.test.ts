import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { MAIN } from "../support/installation.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/**
 * Simulates a systemd socket unit: listens, passes the socket to each run of the service, and restarts the
 * service.
 */
const KEEPER = `
use Socket; use POSIX (); use Fcntl;
$| = 1;
socket(my $port, PF_INET, SOCK_STREAM, 0) or die $!;
bind($port, pack_sockaddr_in(0, INADDR_LOOPBACK)) && listen($port, 128) or die $!;
my ($number) = unpack_sockaddr_in(getsockname($port));
print "port $number\\n";
$ENV{SANTINELA_HTTP__PORT} //= $number;
my ($run, $ends) = (0, 0);
$SIG{TERM} = sub { $ends = 1; kill "TERM", $run };
$SIG{HUP} = sub { kill "TERM", $run };
until ($ends) {
  $run = fork() // die;
  if (!$run) {
    POSIX::dup2(fileno($port), 9); POSIX::dup2(9, 3);
    open(my $kept, "+<&=", 3); fcntl($kept, F_SETFD, 0);
    @ENV{qw(LISTEN_PID LISTEN_FDS LISTEN_FDNAMES)} = ($$, 1, "http");
    exec { $ARGV[0] } @ARGV;
  }
  while (waitpid($run, 0) < 0) {}
  exit 1 if $? >> 8;
}
`;

/** As in the unit. */
const PASSES_COPIES = join(import.meta.dirname, "../../systemd/with-notify-socket");

let folder: string;
let keeper: ChildProcessWithoutNullStreams | undefined;
let output: string;
beforeEach(() => {
  folder = temporaryFolder();
  writeFileSync(
    join(folder, "santinela.yaml"),
    "dataDir: ./data\nsite: { name: Hala, ref: hala }\nmqtt: off\n",
  );
});
afterEach(() => end("SIGTERM"));

async function start(env: Readonly<Record<string, string>> = {}): Promise<number> {
  const config = join(folder, "santinela.yaml");
  const words = ["-e", KEEPER, "perl", PASSES_COPIES, process.execPath, MAIN, "serve", "--config", config];
  const started = spawn("perl", words, { env: { ...process.env, ...env } });
  keeper = started;
  output = "";
  for (const stream of [started.stdout, started.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  return eventually("the port", () => Number(/^port (\d+)$/m.exec(output)?.[1] ?? 0) || undefined);
}

const readies = (): number => output.split('"event":"ready"').length - 1;

async function end(signal: "SIGTERM"): Promise<void> {
  if (!keeper || keeper.exitCode !== null) return;
  const exited = new Promise((resolve) => keeper?.once("exit", resolve));
  keeper.kill(signal);
  await exited;
}

/** One request on a new connection. @returns the status or the error */
function ask(port: number): Promise<string> {
  return new Promise((resolve) => {
    request({ port, host: "127.0.0.1", path: "/interventii", agent: false }, (answer) => {
      answer.resume().on("end", () => resolve(String(answer.statusCode)));
    })
      .on("error", (error) => resolve(error.message))
      .end();
  });
}

test("with a port held by systemd no connection is rejected during a restart", async () => {
  const port = await start();
  await eventually("the daemon is ready", () => readies() === 1);
  const answers: string[] = [];
  const over = new AbortController();
  const clients = Array.from({ length: 3 }, async () => {
    while (!over.signal.aborted) answers.push(await ask(port));
  });
  for (let restart = 1; restart <= 3; restart += 1) {
    const before = answers.length;
    keeper?.kill("SIGHUP");
    await eventually("the daemon is ready again", () => readies() === restart + 1);
    await eventually("answers of this run", () => answers.length > before + 20);
  }
  over.abort();
  await Promise.all(clients);
  expect(answers.filter((answer) => answer !== "401")).toEqual([]);
});

test("the port is served again after a restart from the panel, and after a defect of the front", async () => {
  const port = await start({ SANTINELA_FAILPOINT: "request:30=throw" });
  const dataDir = join(folder, "data");
  for (let run = 1; run <= 3; run += 1) {
    await eventually("the daemon is ready", () => readies() === run);
    const failures = output.split('"event":"thread-restarted"').length;
    await eventually("a defect of the front", async () => {
      await ask(port);
      return output.split('"event":"thread-restarted"').length > failures;
    });
    await eventually("an answer of the new front", async () => (await ask(port)) === "401");
    await eventually("the order to restart", async () => {
      const { status } = await askDaemon(dataDir, "POST", "/site/restart", {});
      return status === 202;
    });
  }
  await eventually("the last run", () => readies() === 4);
  await eventually("an answer of the last run", async () => (await ask(port)) === "401");
});

test("a port passed by systemd that differs from the configuration is rejected, because the configuration limits access", async () => {
  const port = await start({ SANTINELA_HTTP__PORT: "1" });
  await eventually("it has ended", () => keeper?.exitCode !== null);
  expect(output).toContain(`listens on 127.0.0.1 port ${port}, but http is set to 127.0.0.1 port 1`);
  expect(output).toContain("santinela.socket");
});
