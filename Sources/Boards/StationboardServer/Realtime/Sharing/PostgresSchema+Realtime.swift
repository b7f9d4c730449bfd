package import PostgresClient
import PostgresSharing

/// The tables of realtime that servers share, in a PostgreSQL database.
///
/// A source has one row, which says whose its lease is. Instants of publications are seconds since 1970-01-01T00:00:00Z of
/// the service clock of the server that fetched them; no instant of the database decides anything.
extension PostgresSchema {
  /// The schema of realtime, `freshet_realtime` by default.
  package static func realtime(name: String = "freshet_realtime") -> PostgresSchema {
    PostgresSchema(
      name: name,
      migrations: [
        // The row of the log is locked until a publication is committed, so positions are in the order of commits.
        """
        \(SharedDatabase.log)
        CREATE TABLE source (
          id text PRIMARY KEY, title text NOT NULL, \(LeaseTable.columns),
          polled_at double precision, answered_at double precision,
          failure text, is_of_content boolean NOT NULL DEFAULT false, refusal text);
        CREATE TABLE publication (
          id bigint PRIMARY KEY, source text NOT NULL REFERENCES source ON DELETE CASCADE, position bigint,
          fence bigint NOT NULL, fetched_at double precision NOT NULL, absent_at double precision,
          content_type text, content bytea NOT NULL);
        CREATE INDEX publication_source ON publication (source, position);
        """,
        // Compressing a large feed takes the server longer than everything else until it is shown.
        "ALTER TABLE publication ALTER COLUMN content SET STORAGE EXTERNAL",
      ]
    )
  }
}
