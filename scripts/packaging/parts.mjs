// parts.mjs FOLDER [NODE_VERSION]: prints the list of parts (CycloneDX, JSON) of the installation in FOLDER: what the lock
// file names and its node_modules holds, what the panel's script was built from, and the Node.js that lies beside them.
// `npm sbom` makes the list; what it says of this moment and this machine is taken out, so that the same commit makes the
// same bytes.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { IN_THE_PANEL, nameOf } from "../licences.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** The answer names all packages, the development's too: about half a megabyte. */
const BYTES_MAX = 32 * 1024 * 1024;

/** The list of what lies in `folder`; `nodeVersion` is that of the Node.js beside it, where there is one. */
export function partsOf(folder, nodeVersion) {
  const list = JSON.parse(
    execFileSync("npm", ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx"], {
      cwd: root,
      encoding: "utf8",
      maxBuffer: BYTES_MAX,
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );
  const { $schema, bomFormat, specVersion, version } = list;
  // npm calls the product after the folder that it lies in.
  const component = { ...list.metadata.component, name: "santinela" };
  const carried = new Set([component["bom-ref"], ...referencesIn(folder)]);
  const components = list.components.filter((part) => carried.has(part["bom-ref"]));
  const dependencies = list.dependencies
    .filter(({ ref }) => carried.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((needed) => carried.has(needed)) }));
  return {
    $schema,
    bomFormat,
    specVersion,
    version,
    metadata: { component },
    components: nodeVersion ? [...components, node(nodeVersion)] : components,
    dependencies,
  };
}

/** `name@version`, as npm's lists refer to it, of each package that is carried by the installation in `folder`. */
function referencesIn(folder) {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  return Object.entries(packages)
    .filter(
      ([place, { dev }]) =>
        IN_THE_PANEL.includes(nameOf(place)) ||
        (place !== "" && !dev && existsSync(join(folder, place, "package.json"))),
    )
    .map(([place, { version }]) => `${nameOf(place)}@${version}`);
}

function node(version) {
  return {
    "bom-ref": `node@${version}`,
    type: "platform",
    name: "node",
    version,
    purl: `pkg:generic/node@${version}`,
    licenses: [{ license: { id: "MIT" } }],
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder, nodeVersion] = process.argv;
  process.stdout.write(`${JSON.stringify(partsOf(folder, nodeVersion), null, 2)}\n`);
}
