import type { Config } from "../config/config.ts";

const DATA_OF_PACKAGE = "/var/lib/";
const DATA_OF_CENTRE = "/var/lib/santinela-centre";
const FILE_OF_CENTRE = "/etc/santinela/centre.yaml";

/** The unit of the package that runs an installation: of a site, or of a dispatch centre, which may be on the same machine. */
export function unitOf({ file, dataDir, database }: Pick<Config, "file" | "dataDir" | "database">): string {
  const isCentre = database !== null || file === FILE_OF_CENTRE || isDataOfCentre(dataDir);
  return isCentre ? "santinela-centre" : "santinela";
}

/** How to start the daemon that has its data there. @param dataDir absolute path */
export function startHint(dataDir: string): string {
  const another = `or specify another configuration with --config; this configuration uses ${dataDir}.`;
  if (!dataDir.startsWith(DATA_OF_PACKAGE)) return `Start it with santinela serve, ${another}`;
  const unit = isDataOfCentre(dataDir) ? "santinela-centre" : "santinela";
  return `Start it with systemctl start ${unit} (journalctl -u ${unit} shows why it stopped), ${another}`;
}

function isDataOfCentre(dataDir: string): boolean {
  return dataDir === DATA_OF_CENTRE || dataDir.startsWith(`${DATA_OF_CENTRE}/`);
}
