/// The tables of libraries in a PostgreSQL database: one library for each owner.
///
/// Books, and what sources said of them, are JSON (``StoredRecord``), which holds any text; keys and identifiers are
/// beside it. Identifiers may be longer than an entry of an index, so their hashes are indexed. Ids come from the row of
/// the library, whose lock orders all changes of a library.
package enum PostgresLibraryTables {
  /// Creates the tables, and a view for people: `SELECT * FROM freshet.books`.
  package static let creation = """
    CREATE TABLE library (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, owner text NOT NULL UNIQUE,
      last_book bigint NOT NULL DEFAULT 0, last_list bigint NOT NULL DEFAULT 0,
      last_removed bigint NOT NULL DEFAULT 0);
    CREATE TABLE book (
      library bigint NOT NULL REFERENCES library ON DELETE CASCADE, id bigint NOT NULL, isbn text,
      entry bytea, entry_key bytea GENERATED ALWAYS AS (sha256(entry)) STORED,
      title_key text NOT NULL, author_key text NOT NULL,
      alike text NOT NULL GENERATED ALWAYS AS (md5(title_key || chr(10) || author_key)) STORED,
      record text NOT NULL, created_at timestamptz NOT NULL DEFAULT now(),
      updated_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (library, id),
      UNIQUE (library, isbn) DEFERRABLE INITIALLY DEFERRED);
    CREATE INDEX book_alike ON book (library, alike, id);
    CREATE INDEX book_entry ON book (library, entry_key) WHERE entry_key IS NOT NULL;
    CREATE TABLE book_source (
      library bigint NOT NULL, source text NOT NULL, entry bytea NOT NULL,
      entry_key bytea GENERATED ALWAYS AS (sha256(entry)) STORED, book bigint NOT NULL,
      said text NOT NULL, made bigint NOT NULL, PRIMARY KEY (library, source, entry_key),
      FOREIGN KEY (library, book) REFERENCES book ON DELETE CASCADE);
    CREATE INDEX book_source_book ON book_source (library, book);
    CREATE TABLE import (
      library bigint NOT NULL REFERENCES library ON DELETE CASCADE, job text NOT NULL, file text NOT NULL,
      source text NOT NULL, encoding text NOT NULL, rows_done bigint NOT NULL DEFAULT 0,
      imported bigint NOT NULL DEFAULT 0, updated bigint NOT NULL DEFAULT 0,
      duplicates bigint NOT NULL DEFAULT 0, failed bigint NOT NULL DEFAULT 0,
      blank bigint NOT NULL DEFAULT 0, warned bigint NOT NULL DEFAULT 0,
      removed bigint NOT NULL DEFAULT 0, is_finished boolean NOT NULL DEFAULT false,
      started_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (library, job));
    CREATE TABLE import_row (
      library bigint NOT NULL, job text NOT NULL, row bigint NOT NULL, outcome text NOT NULL, book bigint,
      entry bytea, report text NOT NULL, raw bytea, PRIMARY KEY (library, job, row),
      FOREIGN KEY (library, job) REFERENCES import ON DELETE CASCADE);
    CREATE TABLE source_list (
      library bigint NOT NULL REFERENCES library ON DELETE CASCADE, id bigint NOT NULL, source text NOT NULL,
      PRIMARY KEY (library, id));
    CREATE TABLE source_list_entry (
      library bigint NOT NULL, list bigint NOT NULL, entry bytea NOT NULL,
      entry_key bytea GENERATED ALWAYS AS (sha256(entry)) STORED, PRIMARY KEY (library, list, entry_key),
      FOREIGN KEY (library, list) REFERENCES source_list ON DELETE CASCADE);
    CREATE TABLE removed_book (
      library bigint NOT NULL REFERENCES library ON DELETE CASCADE, id bigint NOT NULL,
      removed_at timestamptz NOT NULL DEFAULT now(), job text NOT NULL, source text NOT NULL,
      record text NOT NULL, PRIMARY KEY (library, id));
    CREATE VIEW books AS
      SELECT owner, book.id, record::json ->> 'title' AS title,
        (SELECT string_agg(name, '; ') FROM json_array_elements_text(record::json -> 'authors') AS name) AS authors,
        isbn, record::json ->> 'status' AS status, (record::json ->> 'rating')::numeric / 4 AS rating,
        record::json AS record, created_at, updated_at
      FROM book JOIN library ON library.id = book.library;
    """
}
