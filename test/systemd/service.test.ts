import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { Container, LIMIT_MS, SUITES } from "./container.ts";

const CONFIGURATION = "/etc/santinela/santinela.yaml";
const DROP_IN = "/etc/systemd/system/santinela.service.d/test.conf";
/** As in the README: without `dataDir`. */
const YAML = `
site: { name: Hala Nord, ref: hala-nord }
objectives: { obiective/cladiri: [ { id: 12, name: Hala Nord } ] }
zones:
  - { id: gate, name: Gate, kind: perimeter, objective: { type: obiective/cladiri, id: 12 }, input: { simulated: true } }
`;

describe.each(SUITES)("the service on Debian $suite", ({ suite, root }) => {
  let debian: Container;
  beforeAll(async () => {
    debian = await Container.boot(root);
    await debian.ok("dpkg -i /packages/santinela_*.deb");
  });
  afterAll(() => debian.stop());

  beforeEach(async () => {
    await debian.ok(`rm -f ${DROP_IN}`);
    await debian.write(CONFIGURATION, YAML);
    await restart();
  });

  async function restart(): Promise<void> {
    await debian.ok("systemctl daemon-reload && systemctl restart santinela.service");
  }

  const mainPid = (): Promise<string> => debian.property("MainPID");
  const isActive = async (): Promise<boolean> => (await debian.property("ActiveState")) === "active";

  function startedAgain(formerPid: string): Promise<boolean> {
    return eventually(
      "the service is started again",
      async () => {
        const pid = await mainPid();
        return pid !== formerPid && pid !== "0" && (await isActive());
      },
      LIMIT_MS,
    );
  }

  test("is ready at the end of its start, and records trips that a restart does not lose", async () => {
    await debian.ok("santinela trip --zone gate");
    await restart();
    const records = await debian.ok(
      `/usr/lib/santinela/current/node/bin/node -e 'require("http").get({socketPath:"/var/lib/santinela/control.sock",path:"/interventii",headers:{host:"santinela"}},(r)=>r.pipe(process.stdout))'`,
    );
    expect(JSON.parse(records)).toEqual([expect.objectContaining({ objectiveId: 12 })]);
  });

  test("takes no restart for a boot of the machine: times before and after it stay comparable", async () => {
    await debian.ok("santinela trip --zone gate");
    await restart();
    await debian.ok("santinela trip --zone gate --restore && santinela trip --zone gate");
    const program = `const database = new (require("/usr/lib/santinela/current/node_modules/better-sqlite3"))("/var/lib/santinela/journal.db");
console.log(JSON.stringify(database.prepare("SELECT DISTINCT boot FROM trips").pluck().all()));`;
    const boots = await debian.ok(
      "cd /tmp && cat > boots.cjs && setpriv --reuid=santinela --regid=santinela --clear-groups /usr/lib/santinela/current/node/bin/node boots.cjs",
      program,
    );
    expect(JSON.parse(boots)).toEqual([await debian.ok("cat /proc/sys/kernel/random/boot_id")]);
  });

  test("applies a changed configuration at a reload, in the same process, and rejects one with errors", async () => {
    const pid = await mainPid();
    const second = YAML.replaceAll("id: gate, name: Gate", "id: yard, name: Yard");
    await debian.write(CONFIGURATION, second);
    await debian.ok("systemctl reload santinela.service");
    expect(await debian.ok("santinela zones list")).toContain("yard");
    await debian.write(CONFIGURATION, `${second}zones: []\n`);
    await expect(debian.ok("systemctl reload santinela.service")).rejects.toThrow();
    expect(await debian.ok("santinela zones list")).toContain("yard");
    await debian.write(CONFIGURATION, YAML);
    await debian.ok("systemctl kill --signal=SIGHUP --kill-whom=main santinela.service");
    await eventually(
      "the first zone",
      async () => (await debian.ok("santinela zones list")).includes("gate"),
      LIMIT_MS,
    );
    expect(await isActive()).toBe(true);
    expect(await mainPid()).toBe(pid);
  });

  test("is started again also when the page of the safe mode fails", async () => {
    const file = "/etc/systemd/system/santinela-safe-mode.service.d/test.conf";
    await debian.write(file, "[Service]\nExecStart=\nExecStart=false\n");
    await debian.write(DROP_IN, "[Service]\nExecStartPre=test -e /run/may-start\n");
    await debian.ok("systemctl daemon-reload && ! systemctl restart santinela.service");
    await debian.ok("touch /run/may-start");
    await eventually("the service", isActive, LIMIT_MS);
    await debian.ok(`rm ${file} /run/may-start`);
  });

  test("is started by a restart whose stop has to be forced", async () => {
    // The daemon does not end at this signal.
    await debian.write(DROP_IN, "[Service]\nKillSignal=SIGCONT\nTimeoutStopSec=1\n");
    const pid = await mainPid();
    await restart();
    expect(await debian.ok("journalctl --no-pager --unit=santinela.service")).toContain("SIGKILL");
    await startedAgain(pid);
  });

  test("shows no password in the journal", async () => {
    const journal = await debian.ok("journalctl --no-pager --unit=santinela.service");
    expect(journal).toContain("santinela user passwd --email admin@santinela.local");
    expect(journal).not.toMatch(/password {2}/);
  });

  test("is sandboxed: an exposure of at most 1.3, and of at most 0.5 for its backups", async () => {
    const exposure = async (unit: string): Promise<number> => {
      const report = await debian.ok(`systemd-analyze security --no-pager ${unit}`);
      return Number(/exposure level for \S+: ([\d.]+)/.exec(report)?.[1]);
    };
    const [service, copies] = [
      await exposure("santinela.service"),
      await exposure("santinela-backup.service"),
    ];
    process.stdout.write(`exposure on Debian ${suite}: ${service}, of the copies ${copies}\n`);
    expect(service).toBeLessThanOrEqual(1.3);
    expect(copies).toBeLessThanOrEqual(0.5);
  });

  test.each(["santinela-name.service", "santinela-first-boot.service"])(
    "shows a change of the host name to %s, which cannot change it",
    async (unit) => {
      const file = `/etc/systemd/system/${unit}.d/test.conf`;
      const without = "[Unit]\nConditionPathExists=\nConditionPathIsDirectory=\n[Service]\nExecStart=\n";
      await debian.write(file, `${without}ExecStartPre=-hostname taken\nExecStart=sleep infinity\n`);
      const former = await debian.ok("hostname");
      await debian.ok(`systemctl daemon-reload && systemctl start ${unit}`);
      expect(await debian.ok("hostname")).toBe(former);
      const pid = await debian.property("MainPID", unit);
      await debian.ok("hostname changed");
      expect(await debian.ok(`nsenter --uts --target ${pid} hostname`)).toBe("changed");
      await debian.ok(`hostname ${former} && systemctl stop ${unit} && rm ${file}`);
      await debian.ok("systemctl daemon-reload");
    },
  );

  test("runs with the closer sandbox of the installation page, and with an exposure of 1.1", async () => {
    const page = readFileSync("docs/installing.md", "utf8");
    const shown = /```ini\n(# \/etc\/systemd\/system\/santinela\.service\.d\/sandbox\.conf\n[^]*?)```/.exec(
      page,
    )?.[1];
    await debian.write(DROP_IN, shown ?? "");
    await restart();
    expect(await debian.ok("systemd-analyze security --no-pager santinela.service")).toMatch(
      /exposure level for \S+: 1\.1 /,
    );
    await debian.ok("santinela trip --zone gate");
    expect(await isActive()).toBe(true);
  });

  test("has no capabilities, cannot gain any, and can write only to its own directory", async () => {
    const pid = await mainPid();
    const status = await debian.ok(`cat /proc/${pid}/status`);
    expect(status).toMatch(/^CapEff:\s+0+$/m);
    expect(status).toMatch(/^CapBnd:\s+0+$/m);
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(status).toMatch(/^Seccomp:\s+2$/m);
    const inside = `nsenter -t ${pid} -m --`;
    for (const path of ["/usr/x", "/var/x", "/root/x", "/sys/kernel/x"])
      expect((await debian.run(`${inside} touch ${path}`)).code, path).not.toBe(0);
    // Of its configuration folder, which is root's, the service can write the configuration file and no other.
    const asService = `${inside} setpriv --reuid=santinela --regid=santinela --clear-groups`;
    expect((await debian.run(`${asService} touch /etc/santinela/x`)).code).not.toBe(0);
    await debian.ok(`${asService} test -w /etc/santinela/santinela.yaml`);
    expect((await debian.run(`${inside} touch /var/lib/santinela/x`)).code).toBe(0);
    await debian.ok("rm /var/lib/santinela/x");
    expect(await debian.ok(`${inside} ls /dev | grep -c -E '^(mem|sd|vd|gpiochip)' || true`)).toBe("0");
  });

  test("is restarted when it hangs", async () => {
    await debian.write(DROP_IN, "[Service]\nWatchdogSec=3\nTimeoutAbortSec=1\n");
    await restart();
    const pid = await mainPid();
    await debian.ok(`kill -STOP ${pid}`);
    await startedAgain(pid);
    expect(await debian.ok("journalctl --no-pager --unit=santinela.service")).toMatch(/[Ww]atchdog timeout/);
  });

  test("is not restarted by the watchdog when it does not hang", async () => {
    await debian.write(DROP_IN, "[Service]\nWatchdogSec=1\n");
    await restart();
    const pid = await mainPid();
    const since = await debian.property("WatchdogTimestampMonotonic");
    // Ten keep-alive intervals at three per watchdog period: a silent daemon would have been restarted three
    // times.
    let signs = 0;
    let last = since;
    await eventually(
      "ten signs of life",
      async () => {
        const now = await debian.property("WatchdogTimestampMonotonic");
        if (now !== last) signs += 1;
        last = now;
        return signs >= 10;
      },
      LIMIT_MS,
    );
    expect(await mainPid()).toBe(pid);
  });

  test("is restarted however often it is killed", async () => {
    for (let kill = 0; kill < 6; kill += 1) {
      const pid = await mainPid();
      await debian.ok(`kill -KILL ${pid}`);
      await startedAgain(pid);
    }
  });

  test("never gives way to the safe mode page when it is killed", async () => {
    const clients = `const { request } = require("http");
      const { existsSync } = require("fs");
      const answers = {};
      const ask = () => new Promise((resolve) => {
        const done = (what) => resolve((answers[what] = (answers[what] ?? 0) + 1));
        request({ host: "127.0.0.1", port: 8080, path: "/interventii", agent: false }, (answer) =>
          answer.resume().on("end", () => done(answer.statusCode)).on("error", (error) => done(error.code)),
        ).on("error", (error) => done(error.code)).end();
      });
      (async () => { while (!existsSync("/run/clients-end")) await ask(); console.log(JSON.stringify(answers)); })();`;
    await debian.write("/run/clients.cjs", clients);
    await debian.ok("rm -f /run/clients-end");
    const asked = debian.ok("/usr/lib/santinela/current/node/bin/node /run/clients.cjs");
    for (let kill = 0; kill < 3; kill += 1) {
      const pid = await mainPid();
      await debian.ok(`kill -KILL ${pid}`);
      await startedAgain(pid);
    }
    await debian.ok("touch /run/clients-end");
    const answers = Object.keys(JSON.parse(await asked) as object);
    expect(answers).toContain("401");
    expect(answers).not.toContain("503");
  });

  test("is not restarted repeatedly with an invalid first configuration, and reports the error", async () => {
    await debian.ok("rm -f /var/lib/santinela/last-good.yaml");
    await debian.write(CONFIGURATION, "htp: { port: 8080 }\n");
    await debian.run("systemctl restart santinela.service");
    expect(await debian.property("ActiveState")).toBe("failed");
    expect(await debian.property("ExecMainStatus")).toBe("78");
    expect(await debian.ok("journalctl --no-pager --unit=santinela.service")).toMatch(
      /santinela.yaml:1:1: .*htp/,
    );
    const page = `require("http").get("http://127.0.0.1:8080/", { headers: { accept: "text/html" } }, (answer) => answer.pipe(process.stdout))`;
    await eventually(
      "the safe mode page",
      async () => {
        const asked = await debian.run(`/usr/lib/santinela/current/node/bin/node -e '${page}'`);
        return asked.stdout.includes("htp");
      },
      LIMIT_MS,
    );
  });

  test("survives a garbage collection between two tasks", async () => {
    // Unused statements are removed by garbage collections that run without JavaScript on the stack.
    const program = `const database = new (require("/usr/lib/santinela/current/node_modules/better-sqlite3"))(":memory:");
      const turns = (left) => {
        for (let count = 0; count < 300; count += 1) database.prepare("SELECT " + count);
        Array.from({ length: 20000 }, (_, index) => ({ index }));
        if (left > 0) setTimeout(turns, 1, left - 1);
      };
      turns(200);`;
    await debian.write("/run/collections.cjs", program);
    await debian.ok("/usr/lib/santinela/current/node/bin/node /run/collections.cjs");
  });

  test("stops in order, well within its time-out", async () => {
    await debian.ok("systemctl stop santinela.service");
    expect(await debian.property("Result")).toBe("success");
    await debian.ok("test -e /var/lib/santinela/stopped-in-order");
  });

  test("creates a certificate for the names of this machine inside its sandbox", async () => {
    await debian.write(CONFIGURATION, `${YAML}http: { tls: own }\n`);
    await restart();
    expect(await isActive()).toBe(true);
    expect(await debian.ok("santinela cert")).toMatch(/[0-9A-F]{2}(:[0-9A-F]{2}){31}/i);
  });

  test("accepts a password that only root and systemd can read", async () => {
    const upstream = "upstream: { baseUrl: 'http://127.0.0.1:9', email: edge@site.example }\n";
    await debian.write(CONFIGURATION, YAML + upstream);
    await debian.write("/etc/santinela/credentials/upstream-password", "correct horse battery staple\n");
    await debian.ok("chmod -R go= /etc/santinela/credentials");
    await debian.ok(
      `mkdir -p $(dirname ${DROP_IN}) && cp /usr/share/doc/santinela/examples/credentials.conf ${DROP_IN}`,
    );
    await restart();
    expect(await isActive()).toBe(true);
    // The command line finds it too while the service runs.
    expect(await debian.ok("santinela check-config")).toContain("pushes to http://127.0.0.1:9");
    // The backup and the safe mode page have none, and need none.
    const since = await debian.ok("date +%s");
    await debian.ok("systemctl start santinela-backup.service && systemctl stop santinela.service");
    await debian.ok("systemctl start santinela-safe-mode.service");
    const journal = `journalctl --no-pager --since=@${since}`;
    await eventually(
      "the page",
      async () => (await debian.ok(journal)).includes('"event":"safe-mode"'),
      LIMIT_MS,
    );
    expect(await debian.ok(journal)).not.toContain("passwordFile is missing");
    await debian.ok("systemctl stop santinela-safe-mode.service && rm -r /var/lib/santinela/backups");
  });

  test("rejects no connection during a restart with socket activation", async () => {
    const clients = `const { request } = require("http");
      const { existsSync } = require("fs");
      const answers = {};
      const ask = () => new Promise((resolve) => {
        const done = (what) => resolve((answers[what] = (answers[what] ?? 0) + 1));
        request({ host: "127.0.0.1", port: 8080, path: "/interventii", agent: false }, (answer) =>
          answer.resume().on("end", () => done(answer.statusCode)).on("error", (error) => done(error.message)),
        ).on("error", (error) => done(error.message)).end();
      });
      Promise.all([1, 2, 3].map(async () => { while (!existsSync("/run/clients-end")) await ask(); }))
        .then(() => console.log(JSON.stringify(answers)));`;
    await debian.write("/run/clients.cjs", clients);
    await debian.ok("systemctl stop santinela.service && systemctl start santinela.socket");
    await debian.ok("systemctl start santinela.service && rm -f /run/clients-end");
    const asked = debian.ok("/usr/lib/santinela/current/node/bin/node /run/clients.cjs");
    for (let turn = 0; turn < 3; turn += 1) await debian.ok("systemctl restart santinela.service");
    await debian.ok("touch /run/clients-end");
    const answers = JSON.parse(await asked) as Record<string, number>;
    // No request has a token: each one got a 401.
    expect(Object.keys(answers)).toEqual(["401"]);
    expect(answers["401"]).toBeGreaterThan(5);
    await debian.ok("systemctl stop santinela.socket santinela.service");
  });

  test("has a socket for a port below 1024 of an address that the machine does not have yet", async () => {
    const socket = "/etc/systemd/system/santinela.socket.d/test.conf";
    // TEST-NET-1 (RFC 5737): of no machine.
    await debian.write(socket, "[Socket]\nListenStream=\nListenStream=192.0.2.7:443\n");
    await debian.write(CONFIGURATION, `${YAML}http: { host: 192.0.2.7, port: 443, tls: own }\n`);
    await debian.ok("systemctl stop santinela.service && systemctl daemon-reload");
    await debian.ok("systemctl start santinela.socket && systemctl start santinela.service");
    await debian.addAddress("192.0.2.7");
    const panel = `require("https").get({ host: "192.0.2.7", port: 443, rejectUnauthorized: false }, (r) => console.log(r.statusCode))`;
    expect(await debian.ok(`/usr/lib/santinela/current/node/bin/node -e '${panel}'`)).toBe("200");
    await debian.ok(`systemctl stop santinela.socket santinela.service && rm ${socket}`);
  });

  test("monitors without its port: used by another program, or below 1024 without the socket", async () => {
    await debian.write("/run/other.cjs", `require("net").createServer().listen(8081, "127.0.0.1")`);
    const node = "/usr/lib/santinela/current/node/bin/node";
    await debian.ok(`systemd-run --quiet --unit=other --service-type=exec ${node} /run/other.cjs`);
    for (const [port, cause] of [
      [8081, "is in use by another program"],
      [443, "santinela.socket"],
    ] as const) {
      await debian.write(CONFIGURATION, `${YAML}http: { port: ${port} }\n`);
      await restart();
      await debian.ok("santinela trip --zone gate");
      expect((await debian.run("santinela status")).stdout).toContain(cause);
    }
    await debian.ok("systemctl stop other.service");
  });

  test("has a daily backup, with time for a slow card, and commands run as root leave no unusable file", async () => {
    for (const unit of ["santinela-backup.service", "santinela-centre-backup.service"])
      expect(await debian.property("TimeoutStartUSec", unit)).toBe("2h");
    expect(await debian.ok("systemctl is-enabled santinela-backup.timer")).toBe("enabled");
    expect(await debian.property("NextElapseUSecRealtime", "santinela-backup.timer")).toMatch(/03:[1-3]\d/);
    await debian.ok("systemctl start santinela-backup.service");
    expect(await debian.ok("ls /var/lib/santinela/backups")).toMatch(/^santinela-\S+\.db$/);
    await debian.ok("systemctl stop santinela.service && santinela backup && santinela user list");
    expect(await debian.ok("find /var/lib/santinela ! -user santinela")).toBe("");
    await restart();
  });

  test("names the remedy for a data directory outside its sandbox, and uses it with the drop-ins of the installation page", async () => {
    const dataDir = "/mnt/ssd/santinela";
    const page = readFileSync("docs/installing.md", "utf8");
    const shown = [...page.matchAll(/```ini\n# (\S+\/data\.conf)\n([^]*?)```/g)];
    expect(shown).toHaveLength(2);
    await debian.ok(`install -d -o santinela -g santinela ${dataDir}`);
    await debian.write(CONFIGURATION, `dataDir: ${dataDir}\n${YAML}`);
    await debian.ok("! systemctl restart santinela.service");
    expect(await debian.ok("journalctl --no-pager --unit=santinela.service")).toContain(
      `ReadWritePaths=${dataDir}`,
    );
    expect((await debian.run("santinela check-config")).stderr).toContain(`warning: dataDir is ${dataDir}`);
    for (const [, path = "", text = ""] of shown) await debian.write(path, text);
    await restart();
    expect((await debian.run("santinela check-config")).stderr).not.toContain("dataDir");
    await debian.ok("systemctl start santinela-backup.service");
    expect(await debian.ok(`ls ${dataDir}/backups`)).toMatch(/^santinela-\S+\.db$/);
    await debian.ok(`rm ${shown.map(([, path]) => path).join(" ")}`);
  });

  test("accepts the drop-in for Mosquitto with the packaged broker", async () => {
    await debian.ok(
      "cp /usr/share/doc/santinela/examples/mosquitto.conf /etc/mosquitto/conf.d/santinela.conf",
    );
    const door = YAML.replaceAll("id: gate, name: Gate", "id: door, name: Door").replace(
      "{ simulated: true }",
      "{ mqtt: door, open: [ON], normal: [OFF] }",
    );
    await debian.write(CONFIGURATION, `${door}mqtt: { url: "mqtt://127.0.0.1:1883" }\n`);
    await debian.ok("systemctl stop santinela.service && systemctl restart mosquitto.service");
    await restart();
    await eventually(
      "the daemon is connected",
      async () => /mqtt-connected/.test(await debian.ok("journalctl --no-pager --unit=santinela.service")),
      LIMIT_MS,
    );
    expect((await debian.run("santinela doctor")).stdout).toContain(
      "MQTT broker: also queues QoS 0 messages",
    );
    await debian.ok("systemctl stop mosquitto.service");
  });
});
