import GRDB
import Storage

/// The tables of the jobs' database.
///
/// Instants are milliseconds since 1970-01-01T00:00:00Z.
enum SQLiteJobSchema {
  /// What is said of a database that a newer program has changed.
  static let newerProgram =
    "was written by a newer version of this program; use that one, or restore a backup that this one made"

  /// Whether a file is not a database, or a damaged one.
  static func isNoDatabase(_ error: DatabaseError) -> Bool {
    [.SQLITE_NOTADB, .SQLITE_CORRUPT].contains(error.resultCode)
  }

  /// What is said of a file that cannot be opened.
  static func reason(_ error: any Error) -> String {
    guard let error = error as? DatabaseError else {
      return ErrorText.of(error, showsPath: false)
    }
    return isNoDatabase(error)
      ? "it is not a database, or it is damaged" : error.message ?? "it cannot be opened"
  }

  static var migrator: DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1") { database in
      try database.execute(
        sql: """
          CREATE TABLE job (
            id TEXT PRIMARY KEY, pipeline TEXT NOT NULL, state TEXT NOT NULL, epoch INTEGER NOT NULL,
            last_seq INTEGER NOT NULL, created_at INTEGER NOT NULL, started_at INTEGER,
            ended_at INTEGER, updated_at INTEGER NOT NULL, expires_at INTEGER, tombstone_until INTEGER,
            attempt INTEGER NOT NULL, fraction REAL NOT NULL, processed INTEGER NOT NULL, total INTEGER,
            phase TEXT, current TEXT, sentence TEXT NOT NULL, checkpoint BLOB, options TEXT NOT NULL);
          CREATE INDEX job_state ON job (state, created_at);
          CREATE INDEX job_expiry ON job (expires_at) WHERE expires_at IS NOT NULL;
          CREATE TABLE input (
            job TEXT NOT NULL REFERENCES job ON DELETE CASCADE, number INTEGER NOT NULL,
            name TEXT NOT NULL, media_type TEXT NOT NULL, file TEXT NOT NULL, bytes INTEGER NOT NULL,
            PRIMARY KEY (job, number)) WITHOUT ROWID;
          CREATE TABLE event (
            job TEXT NOT NULL REFERENCES job ON DELETE CASCADE, seq INTEGER NOT NULL,
            at INTEGER NOT NULL, message BLOB NOT NULL, PRIMARY KEY (job, seq)) WITHOUT ROWID;
          CREATE TABLE result (
            job TEXT NOT NULL REFERENCES job ON DELETE CASCADE, number INTEGER NOT NULL,
            outcome TEXT NOT NULL, line INTEGER, problems TEXT, value TEXT, raw BLOB,
            PRIMARY KEY (job, number)) WITHOUT ROWID;
          CREATE INDEX result_outcome ON result (job, outcome, number);
          CREATE TABLE token (
            hash BLOB PRIMARY KEY, job TEXT NOT NULL REFERENCES job ON DELETE CASCADE,
            expires_at INTEGER NOT NULL) WITHOUT ROWID;
          CREATE INDEX token_job ON token (job);
          CREATE TABLE idempotency (
            key BLOB PRIMARY KEY, request BLOB NOT NULL, job TEXT NOT NULL,
            until INTEGER NOT NULL) WITHOUT ROWID;
          """
      )
    }
    migrator.registerMigration("2") { database in
      try database.execute(
        sql: "ALTER TABLE token ADD COLUMN is_replaced INTEGER NOT NULL DEFAULT 0"
      )
    }
    migrator.registerMigration("3") { database in
      // Which process works on a job, how often one ended over it without having gone on, and when a server was there
      // last.
      try database.execute(
        sql: """
          ALTER TABLE job ADD COLUMN worker INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE job ADD COLUMN crashes INTEGER NOT NULL DEFAULT 0;
          CREATE TABLE seen (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL);
          """
      )
    }
    migrator.registerMigration("4") { database in
      // When a job may run, before which others, how often it failed, and what an operator did then.
      try database.execute(
        sql: """
          ALTER TABLE job ADD COLUMN priority TEXT NOT NULL DEFAULT 'normal';
          ALTER TABLE job ADD COLUMN rank INTEGER;
          ALTER TABLE job ADD COLUMN run_at INTEGER;
          ALTER TABLE job ADD COLUMN failures INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE job ADD COLUMN failure TEXT;
          ALTER TABLE job ADD COLUMN is_dead INTEGER NOT NULL DEFAULT 0;
          ALTER TABLE job ADD COLUMN restarted_as TEXT;
          UPDATE job SET rank = created_at;
          CREATE INDEX job_dead ON job (ended_at) WHERE is_dead;
          """
      )
    }
    return migrator
  }
}
