/* A migration of the main database, as SQL. A migration that was released is never edited. */

/** The results of walk tests, copied from the journal. Two tests may have one number: a new journal begins with 1. */
export const WALK_TEST_RESULTS = `
  CREATE TABLE walk_test_results(
    seq INTEGER PRIMARY KEY,
    number INTEGER NOT NULL,
    who TEXT NOT NULL,
    since_wall INTEGER NOT NULL,
    ended_wall INTEGER NOT NULL,
    ended_by TEXT,
    zone_count INTEGER,
    tested_count INTEGER,
    sha256 TEXT NOT NULL UNIQUE,
    result TEXT NOT NULL CHECK(json_valid(result))
  ) STRICT;
`;
