// Adds accounts of sites to a database, without the checks of the program and without an fsync each:
// node accounts.mjs DATABASE PASSWORD SAME OWN. SAME of them share one bcrypt hash (site-N@centre.example), OWN have one
// each (new-N@centre.example). The installation has been started once and is not running.
import bcrypt from "bcrypt";
import { openMainDatabase } from "../../build/store/main-database.js";

const [path, password, same, own] = process.argv.slice(2);
/** Same cost as in the program. */
const COST = 10;

const shared = await bcrypt.hash(password, COST);
const hashes = await Promise.all(Array.from({ length: Number(own) }, () => bcrypt.hash(password, COST)));

const database = openMainDatabase(path);
const insert = database.prepare(
  "INSERT INTO accounts(email, role, password_hash, created_at) VALUES(?, 'operator', ?, ?)",
);
database.transaction(() => {
  for (let site = 0; site < Number(same); site += 1)
    insert.run(`site-${site}@centre.example`, shared, Date.now());
  for (const [site, hash] of hashes.entries()) insert.run(`new-${site}@centre.example`, hash, Date.now());
})();
database.close();
