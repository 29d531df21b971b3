/** Schema step: the audit trail, whose entries are final and are removed from its beginning only. */
export const AUDIT_TRAIL = `
  CREATE TABLE audit(
    position bigint PRIMARY KEY,
    seq bigint NOT NULL,
    tx xid8 NOT NULL DEFAULT pg_current_xact_id(),
    at bigint NOT NULL,
    event text COLLATE "C" NOT NULL,
    who text COLLATE "C" NOT NULL,
    origin text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    detail text NOT NULL,
    hash text NOT NULL
  );
  CREATE INDEX audit_seq ON audit(seq);
  CREATE INDEX audit_subject ON audit(subject, seq);
  CREATE INDEX audit_repeats ON audit(event, who, origin, at);
  CREATE INDEX audit_at ON audit(event, at);
  -- The last entry that was removed with age: the chain is verified from its hash on.
  CREATE TABLE audit_cut(
    one integer PRIMARY KEY CHECK(one = 1),
    position bigint NOT NULL,
    at bigint NOT NULL,
    hash text NOT NULL
  );
  CREATE FUNCTION audit_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN RAISE EXCEPTION 'an entry of the audit trail is final'; END $$;
  CREATE TRIGGER audit_is_final BEFORE UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION audit_is_final();
  CREATE TRIGGER audit_is_whole BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION audit_is_final();
  CREATE FUNCTION audit_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF OLD.position > coalesce((SELECT position FROM audit_cut), 0) THEN
      RAISE EXCEPTION 'the audit trail is cut from its beginning, with age';
    END IF;
    RETURN OLD;
  END $$;
  CREATE TRIGGER audit_is_kept BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_is_kept();
  `;

/** Schema step: entries of the event log are final too. */
export const FINAL_EVENTS = `
  -- As at a site: an entry is final, and the newest ten thousand stay, whatever asks for their removal.
  CREATE FUNCTION events_are_final() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN RAISE EXCEPTION 'an entry of the event log is final'; END $$;
  CREATE TRIGGER events_are_final BEFORE UPDATE ON events FOR EACH ROW EXECUTE FUNCTION events_are_final();
  CREATE TRIGGER events_are_whole BEFORE TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION events_are_final();
  CREATE FUNCTION events_are_kept() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF OLD.seq > (SELECT max(seq) FROM events) - 10000 THEN
      RAISE EXCEPTION 'the newest 10000 entries of the event log are kept';
    END IF;
    RETURN OLD;
  END $$;
  CREATE TRIGGER events_are_kept BEFORE DELETE ON events FOR EACH ROW EXECUTE FUNCTION events_are_kept();
  `;
