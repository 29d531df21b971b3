/* A migration of the main database, as SQL. A migration that was released is never edited. */

/** Events for the monitoring receiver, the numbers of its zones, the state of its links, and where reading the journal stopped. */
export const TRANSMISSIONS = `
  CREATE TABLE transmissions(
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    trip TEXT NOT NULL UNIQUE,
    intervention_id INTEGER,
    zone_id TEXT NOT NULL,
    pair TEXT NOT NULL,
    change TEXT NOT NULL CHECK(change IN ('new','restored')),
    token TEXT NOT NULL,
    data TEXT NOT NULL,
    ending TEXT,
    occurred_at INTEGER,
    created_at INTEGER NOT NULL,
    sequence INTEGER,
    stamped_at INTEGER,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER NOT NULL DEFAULT 0,
    last_error TEXT,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK(state IN ('waiting','acknowledged','withdrawn')),
    acknowledged_at INTEGER,
    acknowledged_by TEXT,
    CHECK((state = 'acknowledged') = (acknowledged_at IS NOT NULL))
  ) STRICT;
  CREATE INDEX transmissions_waiting ON transmissions(id) WHERE state = 'waiting';
  CREATE INDEX transmissions_pair ON transmissions(pair, id);
  CREATE INDEX transmissions_record ON transmissions(intervention_id, id) WHERE intervention_id IS NOT NULL;
  CREATE TABLE transmitted_zones(zone_id TEXT PRIMARY KEY, number INTEGER NOT NULL UNIQUE) STRICT, WITHOUT ROWID;
  CREATE TABLE transmitter_links(
    place INTEGER PRIMARY KEY,
    address TEXT NOT NULL,
    state TEXT NOT NULL,
    since INTEGER NOT NULL,
    reason TEXT
  ) STRICT;
  CREATE TABLE transmitter_facts(name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;
