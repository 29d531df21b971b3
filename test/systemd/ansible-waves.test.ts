import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

/*
 * The waves of the example's playbook at 23 sites, by the real Ansible. The sites are this machine, and one a port without a
 * listener; in place of the role, a task leaves a file for each site. ansible.test.ts has the role.
 */

const isMissing = (): boolean => {
  try {
    execFileSync("ansible-playbook", ["--version"], { stdio: "ignore" });
    return false;
  } catch {
    return true;
  }
};

const SITES = Array.from({ length: 23 }, (_, index) => `site-${index + 1}`);
/** One site, a tenth of 23, and all others. */
const WAVES = [SITES.slice(0, 1), SITES.slice(1, 3), SITES.slice(3)] as const;
const TASKS = `
- name: Change the site
  ansible.builtin.command: touch {{ changed }}/{{ inventory_hostname }}
  changed_when: true
- name: Change it once more
  ansible.builtin.command: touch {{ changed }}/{{ inventory_hostname }}.complete
  changed_when: true
`;

describe.skipIf(isMissing())("the waves of the playbook", () => {
  const folder = temporaryFolder(afterAll);
  const changed = join(folder, "changed");
  beforeAll(() => {
    mkdirSync(join(folder, "roles/santinela/tasks"), { recursive: true });
    writeFileSync(join(folder, "roles/santinela/tasks/main.yml"), TASKS);
    cpSync("systemd/ansible/site.yml", join(folder, "site.yml"));
  });
  beforeEach(() => {
    rmSync(changed, { recursive: true, force: true });
    mkdirSync(changed);
  });

  /** @param lost a site that does not respond */
  function play(lost: string, options: readonly string[] = []): Promise<{ code: number; stdout: string }> {
    const local = { ansible_connection: "local" };
    const silent = { ansible_connection: "ssh", ansible_host: "127.0.0.1", ansible_port: 9 };
    const hosts = Object.fromEntries(SITES.map((site) => [site, site === lost ? silent : local]));
    const vars = { changed, ansible_python_interpreter: "/usr/bin/python3", ansible_become: false };
    writeFileSync(
      join(folder, "inventory.json"),
      JSON.stringify({ all: { children: { sites: { hosts, vars } } } }),
    );
    const env = { ...process.env, ANSIBLE_LOCAL_TEMP: folder, ANSIBLE_NOCOLOR: "1", LC_ALL: "C.UTF-8" };
    const words = ["-i", join(folder, "inventory.json"), join(folder, "site.yml"), ...options];
    return new Promise((resolve) => {
      execFile("ansible-playbook", words, { env }, (error, stdout) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout }),
      );
    });
  }
  const isChanged = (site: string): boolean => existsSync(join(changed, site));
  const isComplete = (site: string): boolean => existsSync(join(changed, `${site}.complete`));

  test("end with the one in which a site does not respond: the others of it are completed, those after it not touched", async () => {
    const outcome = await play("site-3");
    expect(outcome.code).not.toBe(0);
    expect(outcome.stdout).toContain("did not respond: site-3; the sites after them are not changed");
    expect([...WAVES[0], ...WAVES[1]].filter(isComplete)).toEqual(["site-1", "site-2"]);
    expect(WAVES[2].filter(isChanged)).toEqual([]);
  });

  test("go on without a change with --check", async () => {
    const outcome = await play("site-3", ["--check"]);
    expect(outcome.stdout).toMatch(/^site-23 +: /m);
  });

  test("reach every site if all respond", async () => {
    expect(await play("none")).toMatchObject({ code: 0 });
    expect(SITES.filter(isComplete)).toEqual(SITES);
  });
});
