package import PostgresClient
import PostgresSharing

/// The tables of timetables that servers share, in a PostgreSQL database.
///
/// A feed has one row with its entry of the manifest, which names the generations that are kept, and one row with its lease. A
/// generation that no entry names is being stored, or was left by an importer that was killed: it has the fence of the lease
/// under which it was stored, and is removed once that is over.
extension PostgresSchema {
  /// The schema of timetables, `freshet_timetables` by default.
  package static func timetables(name: String = "freshet_timetables") -> PostgresSchema {
    PostgresSchema(
      name: name,
      migrations: [
        // The row of the log is locked until a change is committed, so positions are in the order of commits. Parts are
        // bytes that do not get smaller: the server is not to try it.
        """
        \(SharedDatabase.log)
        CREATE TABLE feed (
          key text PRIMARY KEY, sequence bigint NOT NULL, added bigint NOT NULL, entry text,
          changed_at timestamptz NOT NULL DEFAULT now(), changed_by text NOT NULL DEFAULT '');
        CREATE TABLE generation (
          id bigint PRIMARY KEY, feed text NOT NULL, name text NOT NULL, artifact text,
          stored_at timestamptz NOT NULL DEFAULT now(), stored_by text NOT NULL DEFAULT '', UNIQUE (feed, name));
        CREATE TABLE chunk (
          generation bigint NOT NULL REFERENCES generation ON DELETE CASCADE, file text NOT NULL, number bigint NOT NULL,
          content bytea NOT NULL, PRIMARY KEY (generation, file, number))
          WITH (autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_scale_factor = 0.05);
        ALTER TABLE chunk ALTER COLUMN content SET STORAGE EXTERNAL;
        CREATE TABLE schedule (feed text PRIMARY KEY, document text NOT NULL);
        """,
        // Positions begin again in another database and in one that was restored; ids never repeat. The list of changes says
        // whether one was stored whose commit was not answered.
        """
        ALTER TABLE feed ADD COLUMN change bigint NOT NULL
          DEFAULT ('x' || left(md5(gen_random_uuid()::text), 15))::bit(60)::bigint;
        CREATE TABLE change (
          id bigint PRIMARY KEY, feed text NOT NULL, position bigint NOT NULL, made_of bigint,
          made_at timestamptz NOT NULL DEFAULT now(), made_by text NOT NULL DEFAULT '');
        CREATE INDEX change_feed ON change (feed, position);
        """,
        """
        CREATE TABLE lease (feed text PRIMARY KEY, \(LeaseTable.columns));
        ALTER TABLE generation ADD COLUMN fence bigint NOT NULL DEFAULT 0;
        """,
      ]
    )
  }
}
