import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { VERSION } from "../../src/generated/version.ts";
import { LIMIT_MS, SUITES } from "./container.ts";
import { CutRoot } from "./cut-root.ts";

const HOME = "/usr/lib/santinela";
const ENABLED = ["santinela.service", "santinela-backup.timer", "santinela-upgrade.service"];

/** Prints what an installation must leave: the state of dpkg, each file of the release, and what starts at the boot. */
const FOUND = `
  dpkg-query --show --showformat='\${Version} \${db:Status-Status}\\n' santinela
  dpkg --audit
  dpkg --verify santinela | grep -v ' /usr/share/man/' || true
  find ${HOME} /var/lib/santinela-upgrade -name '*.part' -o -name part -o -name '*.dpkg-*' -o -name current.new
  diff -rq --exclude='*.cache' --exclude=systemd --exclude=bin ${HOME}/current /srv/${VERSION} | grep -v '^Only in /srv' || true
  for unit in ${ENABLED.join(" ")} santinela.socket santinela-centre.service; do systemctl is-enabled $unit || true; done
  cat /etc/santinela/santinela.yaml /var/lib/santinela/santinela.db`;
const DATA = ["# mine", "records"];
const WANTED = [`${VERSION} installed`, "enabled", "enabled", "enabled", "disabled", "disabled", ...DATA];

/** The numbers of the changes at which to cut, from 1: the first and the last of each kind, where all files of a folder are one. */
function placesIn(changes: readonly string[]): readonly number[] {
  const places = new Set<number>();
  for (const sorted of [changes.entries(), [...changes.entries()].toReversed()]) {
    const seen = new Set<string>();
    for (const [index, line] of sorted) {
      const kind = line
        .replace(/ [^ /]\S*$/, " relative")
        .replace(/(santinela\/(?:package|releases)|share\/doc\/santinela)\/.*/, "$1");
      if (!seen.has(kind)) places.add(index + 1);
      seen.add(kind);
    }
  }
  return [...places].toSorted((a, b) => a - b);
}

describe.each(SUITES)("a removal by dpkg in Debian $suite", ({ root }) => {
  let debian: CutRoot;
  let changes: readonly string[];

  beforeAll(async () => {
    debian = CutRoot.create(root, "releases");
    await debian.ok(
      "begin",
      `dpkg -i /srv/this.deb && echo '${DATA[0]}' >/etc/santinela/santinela.yaml && echo ${DATA[1]} >/var/lib/santinela/santinela.db`,
    );
    debian.begin("begin");
    expect(await debian.uninstall("whole", 0)).toMatchObject({ code: 0 });
    changes = debian.changes;
  });
  afterAll(() => debian.remove());

  test.each([
    ["an installation", ""],
    ["a removal that completes it, and an installation", "dpkg -r santinela && "],
  ])(
    "can be cut at any change of a name: %s then leaves all files, the enabled units and the data",
    async (_what, before) => {
      expect(changes.length).toBeGreaterThan(500);
      for (const place of placesIn(changes)) {
        const state = `cut-${place}`;
        const what = changes[place - 1];
        expect((await debian.uninstall(state, place)).code, `cut at ${place}`).not.toBe(0);
        const installed = await debian.run(state, `(${before}dpkg -i /srv/this.deb) >&2`);
        expect([what, installed]).toEqual([what, expect.objectContaining({ code: 0 })]);
        expect([what, ...(await debian.ok(state, FOUND)).split("\n")]).toEqual([what, ...WANTED]);
        debian.forget(state);
      }
    },
    LIMIT_MS * 10,
  );
});
