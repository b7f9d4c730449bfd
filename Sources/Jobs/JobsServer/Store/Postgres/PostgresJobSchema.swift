import BookLibrary
package import PostgresClient

/// The tables of the jobs, of the libraries that they fill, and of the catalogues that they ask, in a PostgreSQL database.
///
/// Instants are milliseconds since 1970-01-01T00:00:00Z. The end of a lease is a time of the database's clock.
extension PostgresSchema {
  /// The schema of the jobs, `freshet` by default.
  package static func jobs(name: String = "freshet") -> PostgresSchema {
    PostgresSchema(
      name: name,
      migrations: [
        """
        CREATE TABLE log (
          is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only), epoch bigint NOT NULL);
        INSERT INTO log (epoch) VALUES (extract(epoch FROM now())::bigint % 2147483647);
        CREATE TABLE job (
          id text PRIMARY KEY, pipeline text NOT NULL, state text NOT NULL, epoch bigint NOT NULL,
          last_seq bigint NOT NULL, created_at bigint NOT NULL, started_at bigint, ended_at bigint,
          updated_at bigint NOT NULL, expires_at bigint, tombstone_until bigint, attempt bigint NOT NULL,
          crashes bigint NOT NULL DEFAULT 0, fraction double precision NOT NULL, processed bigint NOT NULL,
          total bigint, phase text, current text, sentence text NOT NULL, checkpoint bytea, options text NOT NULL,
          owner bigint NOT NULL DEFAULT 0, fence bigint NOT NULL DEFAULT 0, lease_until timestamptz);
        CREATE INDEX job_open ON job (created_at, id) WHERE state IN ('queued', 'running', 'canceling');
        CREATE INDEX job_expiry ON job (expires_at) WHERE expires_at IS NOT NULL;
        CREATE TABLE input (
          job text NOT NULL REFERENCES job ON DELETE CASCADE, number bigint NOT NULL, name text NOT NULL,
          media_type text NOT NULL, content bytea NOT NULL, PRIMARY KEY (job, number));
        CREATE TABLE event (
          job text NOT NULL REFERENCES job ON DELETE CASCADE, seq bigint NOT NULL, at bigint NOT NULL,
          message bytea NOT NULL, PRIMARY KEY (job, seq));
        CREATE TABLE result (
          job text NOT NULL REFERENCES job ON DELETE CASCADE, number bigint NOT NULL, outcome text NOT NULL,
          line bigint, problems text, value text, raw bytea, PRIMARY KEY (job, number));
        CREATE INDEX result_outcome ON result (job, outcome, number);
        CREATE TABLE token (
          hash bytea PRIMARY KEY, job text NOT NULL REFERENCES job ON DELETE CASCADE, expires_at bigint NOT NULL,
          is_replaced boolean NOT NULL DEFAULT false);
        CREATE INDEX token_job ON token (job);
        CREATE TABLE idempotency (
          key bytea PRIMARY KEY, request bytea NOT NULL, job text NOT NULL, until bigint NOT NULL);
        """,
        PostgresLibraryTables.creation,
        // Jobs that wait for an instant have the owner -1 and a lease until then: servers of version 2 leave them alone, too.
        """
        ALTER TABLE job ADD COLUMN priority text NOT NULL DEFAULT 'normal', ADD COLUMN rank bigint,
          ADD COLUMN run_at bigint, ADD COLUMN failures bigint NOT NULL DEFAULT 0, ADD COLUMN failure text,
          ADD COLUMN is_dead boolean NOT NULL DEFAULT false, ADD COLUMN restarted_as text;
        CREATE INDEX job_rank ON job (coalesce(rank, created_at), id)
          WHERE state IN ('queued', 'running', 'canceling');
        CREATE INDEX job_dead ON job (ended_at) WHERE is_dead;
        """,
        // Servers of version 3 start jobs of the usual owner and lease no others, and ask the catalogues in their folders.
        """
        ALTER TABLE job ADD COLUMN library text NOT NULL DEFAULT '\(LibraryOwner.usual)',
          ADD COLUMN other_lease_until timestamptz;

        """ + PostgresCatalogueTables.creation,
      ]
    )
  }
}
