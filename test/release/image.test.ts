// The OCI image of a release, read as the format describes it. `npm run test:release` runs the image of the real package.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeUnless, missingOf } from "../support/required-programs.ts";

const EPOCH_S = 1_700_000_000;

interface Descriptor {
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly architecture: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

interface Config {
  readonly architecture: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

describeUnless(missingOf({ "dpkg-deb": "dpkg" }), "the OCI image of a release", () => {
  let folder: string;
  let layout: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "image-"));
    mkdirSync(join(folder, "base/usr/lib"), { recursive: true });
    mkdirSync(join(folder, "base/var/cache"), { recursive: true });
    writeFileSync(join(folder, "base/usr/lib/libc.so.6"), "");
    writeFileSync(join(folder, "base/var/cache/ldconfig"), "");
    for (const architecture of ["amd64", "arm64"]) packageFor(architecture);
    write("first.tar", "022", "UTC", ["amd64", "arm64"]);
    layout = join(folder, "layout");
    mkdirSync(layout);
    execFileSync("tar", ["-C", layout, "-xf", join(folder, "first.tar")]);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  function packageFor(architecture: string): void {
    const tree = join(folder, architecture);
    for (const [path, text] of [
      [
        "DEBIAN/control",
        `Package: santinela\nVersion: 1.0.0\nArchitecture: ${architecture}\nMaintainer: A <a@example.org>\nDescription: x\n`,
      ],
      ["usr/lib/santinela/package/dist/main.js", "// program\n"],
      ["usr/share/santinela/santinela.yaml", "site: {}\n"],
    ] as const) {
      mkdirSync(join(tree, path, ".."), { recursive: true });
      writeFileSync(join(tree, path), text);
    }
    const path = join(folder, `${architecture}.deb`);
    execFileSync("dpkg-deb", ["-Zgzip", "--root-owner-group", "--build", tree, path], { stdio: "pipe" });
  }

  function write(name: string, umask: string, TZ: string, architectures: readonly string[]): void {
    const packages = architectures.map((one) => join(folder, `${one}.deb`));
    execFileSync(
      "bash",
      ["-c", `umask ${umask}; node scripts/release/image.mjs "$@"`, "-", join(folder, name), ...packages],
      {
        env: { ...process.env, TZ, BASE_ROOT: join(folder, "base"), SOURCE_DATE_EPOCH: String(EPOCH_S) },
        stdio: "pipe",
      },
    );
  }

  /** The content of a descriptor, which must have its size and digest. */
  function blob({ digest, size }: Descriptor): Buffer {
    const content = readFileSync(join(layout, "blobs", digest.replace(":", "/")));
    expect(content.length).toBe(size);
    expect(digest).toBe(`sha256:${createHash("sha256").update(content).digest("hex")}`);
    return content;
  }
  const json = (descriptor: Descriptor): unknown => JSON.parse(blob(descriptor).toString()) as unknown;

  /** Each manifest with its configuration. */
  function images(): { manifest: Manifest; config: Config; platform: string | undefined }[] {
    const index = JSON.parse(readFileSync(join(layout, "index.json"), "utf8")) as { manifests: Descriptor[] };
    expect(index.manifests.map(({ annotations }) => annotations)).toEqual([
      { "org.opencontainers.image.ref.name": "santinela:1.0.0" },
    ]);
    const { manifests } = json(index.manifests[0] as Descriptor) as { manifests: Descriptor[] };
    return manifests.map((one) => {
      const manifest = json(one) as Manifest;
      return { manifest, config: json(manifest.config) as Config, platform: one.platform?.architecture };
    });
  }

  test("has one manifest for each processor, with intact layers", () => {
    const all = images();
    expect(all.map(({ platform }) => platform)).toEqual(["amd64", "arm64"]);
    for (const { manifest, config, platform } of all) {
      expect(config.architecture).toBe(platform);
      const contents = manifest.layers.map((layer) => gunzipSync(blob(layer)));
      expect(config.rootfs.diff_ids).toEqual(
        contents.map((content) => `sha256:${createHash("sha256").update(content).digest("hex")}`),
      );
    }
  });

  test("runs as its own user, keeps the data in a volume, and is stopped in order", () => {
    for (const { config } of images())
      expect(config.config).toMatchObject({
        User: "65532:65532",
        Volumes: { "/var/lib/santinela": {} },
        Entrypoint: ["/usr/bin/santinela"],
        Cmd: ["serve"],
        StopSignal: "SIGTERM",
        Healthcheck: { Test: ["CMD", "/usr/bin/santinela", "status"] },
      });
  });

  test("gives its user only the data folder, and has no shell", () => {
    const listed = (images()[0]?.manifest.layers ?? []).map((layer) =>
      execFileSync("tar", ["-tvz", "--numeric-owner"], { input: blob(layer), encoding: "utf8" }).split("\n"),
    );
    const owned = listed.flat().filter((line) => line.includes("65532/65532"));
    expect(owned).toEqual([expect.stringMatching(/^drwxr-x---.* \.\/var\/lib\/santinela\/$/)]);
    const names = listed.flat().join("\n");
    expect(names).toContain("./usr/lib/santinela/current -> package");
    expect(names).not.toMatch(/bin\/(ba|da)?sh$/m);
    expect(names).not.toContain("ldconfig");
  });

  test("is the same twice, whatever the mask, the time zone and the order of the packages", () => {
    write("second.tar", "077", "Europe/Bucharest", ["arm64", "amd64"]);
    expect(readFileSync(join(folder, "second.tar")).equals(readFileSync(join(folder, "first.tar")))).toBe(
      true,
    );
  });
});
