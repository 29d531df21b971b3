import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { VERSION } from "../../src/generated/version.ts";
import { LIMIT_MS, SUITES } from "./container.ts";
import { CutRoot, NEXT, type Layout } from "./cut-root.ts";

/** Number of cuts, spread over all changes; `every` takes an hour for each; `kinds` is the first and the last of each kind. */
const CUTS = process.env["CUTS"] ?? "kinds";

const CONFIGURATION = `
dataDir: /var/lib/santinela
site: { name: Hala Nord, ref: hala-nord }
http: { port: 8080 }
mqtt: off
objectives: { obiective/cladiri: [ { id: 1, name: A }, { id: 2, name: B }, { id: 3, name: C } ] }
zones:
  - { id: before, name: Before, kind: perimeter, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }
  - { id: cut, name: Cut, kind: perimeter, objective: { type: obiective/cladiri, id: 2 }, input: { simulated: true } }
  - { id: healed, name: Healed, kind: perimeter, objective: { type: obiective/cladiri, id: 3 }, input: { simulated: true } }
`;

const STATE = "dpkg-query --show --showformat='${Version} ${db:Status-Status}' santinela";
/** Prints the version whose program is in a folder, with all of its files and no others. */
const whole = (folder: string): string => `
  for version in ${VERSION} ${NEXT}; do
    for part in bin dist node node_modules package.json; do
      diff -rq --exclude='*.cache' ${folder}/$part /srv/$version/$part >/dev/null 2>&1 || continue 2
    done
    echo $version
  done`;
const HOME = "/usr/lib/santinela";
/** The folder that the unit starts, and its version. */
const RELEASE = `
  program=$(sed -n 's#^ExecStart=.* \\(.*\\)/dist/main.js serve$#\\1#p' /usr/lib/systemd/system/santinela.service)
  readlink -f $program
  ${whole("$program")}`;
/** Everything besides the release that a start reads. */
const AROUND = `cat /usr/lib/systemd/system/santinela* /etc/systemd/system/*.wants/santinela* /usr/bin/santinela | sha256sum | cut -c1-16`;

/** Starts the daemon as its unit does, trips a zone, prints the objectives of all interventions, and ends the daemon. */
const trip = (zone: string): string => `
  install -d -o santinela -g santinela /run/santinela
  start=$(sed -n 's/^ExecStart=//p' /usr/lib/systemd/system/santinela.service)
  env STATE_DIRECTORY=/var/lib/santinela RUNTIME_DIRECTORY=/run/santinela NODE_ENV=production setpriv --reuid=santinela --regid=santinela --init-groups $start >/tmp/log 2>&1 &
  until santinela zones list >/dev/null 2>&1; do
    kill -0 $! || { cat /tmp/log; exit 1; }
    sleep 0.2
  done
  santinela trip --zone ${zone} >/dev/null
  until santinela interventions list --json | grep -q '"objectiveId": *${["before", "cut", "healed"].indexOf(zone) + 1}'; do sleep 0.2; done
  santinela interventions list --json | grep -o '"objectiveId": *[0-9]*' | grep -o '[0-9]*$' | sort | tr '\\n' ' '
  kill $! && wait $! || true`;

/** The numbers of the changes at which to cut, from 1. */
function placesIn(changes: readonly string[]): readonly number[] {
  if (CUTS === "every") return changes.map((_, index) => index + 1);
  if (CUTS !== "kinds") {
    const last = Number(CUTS) - 1;
    return Array.from({ length: last + 1 }, (_, cut) => 1 + Math.floor((cut * (changes.length - 1)) / last));
  }
  const [first, last] = [new Map<string, number>(), new Map<string, number>()];
  for (const [index, line] of changes.entries()) {
    // One kind for all files of a release, of its copies and of the docs.
    const kind = line
      .replace(/ [^ /]\S*$/, " relative")
      .replace(/(santinela\/(?:package|releases|bin|dist|node|node_modules))\/.*/, "$1")
      .replace(/(share\/doc\/santinela)\/.*/, "$1");
    if (!first.has(kind)) first.set(kind, index + 1);
    last.set(kind, index + 1);
  }
  return [...new Set([...first.values(), ...last.values()])].toSorted((a, b) => a - b);
}

const LAYOUTS: readonly Layout[] = ["releases", "first"];
const KINDS = SUITES.flatMap((suite) => LAYOUTS.map((layout) => ({ ...suite, layout })));

describe.each(KINDS)(
  "an upgrade by dpkg in Debian $suite, from the layout $layout",
  ({ suite, root, layout }) => {
    const folder = layout === "first" ? HOME : `${HOME}/releases/${VERSION}.1`;
    let debian: CutRoot;
    let changes: readonly string[];

    beforeAll(async () => {
      debian = CutRoot.create(root, layout);
      await debian.ok(
        "begin",
        `dpkg -i /srv/this.deb && cat >/etc/santinela/santinela.yaml <<'end'\n${CONFIGURATION}end`,
      );
      expect(await debian.ok("begin", trip("before"))).toBe("1");
      debian.begin("begin");
      expect(await debian.ok("whole", RELEASE)).toBe(`${folder}\n${VERSION}`);
      expect(await debian.install("whole", 0)).toMatchObject({ code: 0 });
      changes = debian.changes;
      expect(await debian.ok("whole", RELEASE)).toBe(`${HOME}/releases/${NEXT}.1\n${NEXT}`);
    });
    afterAll(() => debian.remove());

    /** What the next `dpkg --configure -a` or installation does. @returns whether the latter was needed */
    async function heal(state: string): Promise<boolean> {
      const healed = await debian.ok(
        state,
        `dpkg --configure -a >/dev/null 2>&1 || true
       if [ "$(${STATE})" = "${NEXT} installed" ]; then echo configured; else dpkg -i /srv/next.deb >/dev/null 2>&1; echo installed; fi
       ${STATE}; echo
       dpkg --audit
       dpkg --verify santinela | grep -v ' /usr/share/man/' || true
       find ${HOME} /var/lib/santinela-upgrade -name '*.part' -o -name part -o -name '*.dpkg-*' -o -name current.new
       read -r proven new </var/lib/santinela-upgrade/probation
       echo "$proven"
       ${whole(`${HOME}/$proven`)}
       if [ "$new" = "$(readlink ${HOME}/current)" ]; then ${whole(`${HOME}/$new`)}; fi`,
      );
      const [how, ...after] = healed.split("\n");
      expect(after).toEqual([`${NEXT} installed`, `releases/${VERSION}.1`, VERSION, NEXT]);
      return how === "installed";
    }

    test(
      "can be cut at any change of a name: the daemon starts, and the next installation completes it",
      async () => {
        expect(changes.length).toBeGreaterThan(1000);
        const places = placesIn(changes);
        const cuts = places.length;
        const started = new Map<string, number>();
        let [former, reinstalled] = [0, 0];
        for (const place of places) {
          const state = `cut-${place}`;
          expect((await debian.install(state, place)).code, `cut at ${place}`).not.toBe(0);
          const found = await debian.ok(state, `${RELEASE}; ${AROUND}; ${STATE}`);
          const [link, complete, around] = found.split("\n");
          const version = link === `${HOME}/releases/${NEXT}.1` ? NEXT : VERSION;
          expect(complete, `the release after a cut at ${place}`).toBe(version);
          if (version === VERSION) former += 1;
          // What a start reads is the same after most cuts, and so is the start.
          const isNew = !started.has(`${link} ${around}`);
          started.set(`${link} ${around}`, place);
          if (isNew)
            expect(await debian.ok(state, trip("cut")), `the start after a cut at ${place}`).toBe("1 2");
          if (await heal(state)) reinstalled += 1;
          if (isNew)
            expect(await debian.ok(state, trip("healed")), `healed after a cut at ${place}`).toBe("1 2 3");
          debian.forget(state);
        }
        process.stdout.write(
          `${suite}, from the layout ${layout}: ${cuts} cuts of ${changes.length} changes, ${cuts} healed (${cuts - reinstalled} by dpkg --configure -a); ` +
            `${former} left the former release; ${started.size} different starts\n`,
        );
      },
      LIMIT_MS * 100,
    );
  },
);
