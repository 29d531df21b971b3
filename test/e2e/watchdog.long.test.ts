import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdirSync, renameSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, expect, test } from "vitest";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { MAIN } from "../support/installation.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* systemd restarts a service whose keep-alives stop. Here they are read at a notify socket like its own. */

/** Receives the messages at a Unix datagram socket, which Node.js cannot open, and prints each as a line. */
const RECEIVER = `
use Socket;
$| = 1;
socket(my $socket, PF_UNIX, SOCK_DGRAM, 0) or die $!;
bind($socket, pack_sockaddr_un($ARGV[0])) or die $!;
print "bound\\n";
while (defined recv($socket, my $message, 4096, 0)) { $message =~ tr/\\n/ /; print "$message\\n" }
`;

/** As in the unit. */
const WITH_NOTIFY_SOCKET = join(import.meta.dirname, "../../systemd/with-notify-socket");
const PATROL = { name: "Patrol", objectiveType: "obiective/cladiri", objectiveId: 1 };

let folder: string;
let processes: ChildProcessWithoutNullStreams[];
beforeEach(() => {
  folder = temporaryFolder();
  processes = [];
  writeFileSync(
    join(folder, "santinela.yaml"),
    "dataDir: ./data\nsite: { ref: hala }\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\nobjectives: { obiective/cladiri: [ { id: 1, name: Hala } ] }\n",
  );
});
afterEach(async () => {
  for (const started of processes) await killed(started);
});

async function killed(started: ChildProcessWithoutNullStreams): Promise<void> {
  if (started.exitCode !== null || started.signalCode !== null) return;
  const exited = new Promise((resolve) => started.once("exit", resolve));
  started.kill("SIGKILL");
  await exited;
}

/** Starts a program and collects its lines. */
function linesOf(words: readonly string[], env: NodeJS.ProcessEnv): string[] {
  const started = spawn("perl", words, { env });
  processes.push(started);
  const lines: string[] = [];
  createInterface({ input: started.stdout }).on("line", (line) => lines.push(line));
  return lines;
}

test("keep-alives stop while the records cannot be started again, although sensing works, and resume with them", async () => {
  const socket = join(folder, "notify");
  const messages = linesOf(["-e", RECEIVER, socket], process.env);
  await eventually("the socket", () => messages.includes("bound"));
  const keepAlives = (): number => messages.filter((message) => message === "WATCHDOG=1").length;
  const config = join(folder, "santinela.yaml");
  const log = linesOf([WITH_NOTIFY_SOCKET, process.execPath, MAIN, "serve", "--config", config], {
    ...process.env,
    NOTIFY_SOCKET: socket,
    // A keep-alive every 0.2 s.
    WATCHDOG_USEC: "600000",
    SANTINELA_FAILPOINT: "record-changed:1=throw",
  });
  const logged = (event: string): number => log.filter((line) => line.includes(`"event":"${event}"`)).length;
  await eventually("keep-alives", () => keepAlives() > 3);
  expect(messages).toContainEqual(expect.stringMatching(/^READY=1/));

  // The records keep their open file, and end with the next record; their next start finds no database.
  const [database, aside] = [join(folder, "data/santinela.db"), join(folder, "aside.db")];
  renameSync(database, aside);
  mkdirSync(database);
  await askDaemon(join(folder, "data"), "POST", "/interventii", PATROL).catch(() => "the records have ended");

  // At least 10 s between two attempts: with keep-alives in between, the counts would differ.
  const atAttempts: number[] = [];
  await eventually(
    "two attempts to start without a keep-alive in between",
    () => {
      while (atAttempts.length < logged("thread-start-failed")) atAttempts.push(keepAlives());
      const [earlier, last] = atAttempts.slice(-2);
      return atAttempts.length > 6 && earlier === last;
    },
    90_000,
  );
  // The process itself works: systemd would restart it only because of the records.
  const { value } = await askDaemon(join(folder, "data"), "GET", "/site/status");
  expect(JSON.stringify(value)).toContain('"thread-failed"');

  const stopped = keepAlives();
  rmdirSync(database);
  renameSync(aside, database);
  await eventually("keep-alives again", () => keepAlives() > stopped + 3);
});
