/// The tables of catalogues in a PostgreSQL database.
///
/// A catalogue is a generation of rows with its number. An owner has at most one that serves. An import fills rows with a
/// new number, which is not read yet, and one transaction lets that number serve in place of the one before, whose rows
/// are removed afterwards. So an import needs no right to change tables. There are no foreign keys: they would cost an
/// import more than its rows.
package enum PostgresCatalogueTables {
  /// Creates the tables.
  ///
  /// The words by which works are found are in `catalogue_search`, each behind the slot of its catalogue: so the index
  /// leads from a word to the works of one catalogue, however many there are. A slot is free again once nothing else of
  /// its catalogue is left: PostgreSQL never removes words from such an index, so the next catalogue uses them again.
  package static let creation = """
    CREATE TABLE catalogue (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, owner text NOT NULL, slot integer NOT NULL UNIQUE,
      state text NOT NULL CHECK (state IN ('draft', 'serving', 'old')), works bigint NOT NULL DEFAULT 0,
      editions bigint NOT NULL DEFAULT 0, authors bigint NOT NULL DEFAULT 0,
      started_at timestamptz NOT NULL DEFAULT now(), served_since timestamptz);
    CREATE UNIQUE INDEX catalogue_serving ON catalogue (owner) WHERE state = 'serving';
    CREATE INDEX catalogue_owner ON catalogue (owner);
    CREATE TABLE catalogue_author (
      catalogue bigint NOT NULL, id bigint NOT NULL, name text NOT NULL, PRIMARY KEY (catalogue, id));
    CREATE TABLE catalogue_work (
      catalogue bigint NOT NULL, id bigint NOT NULL, title text NOT NULL, subtitle text, first_year bigint,
      subjects text, cover bigint, authors bigint[] NOT NULL, PRIMARY KEY (catalogue, id));
    CREATE TABLE catalogue_edition (
      catalogue bigint NOT NULL, id bigint NOT NULL, work bigint, title text NOT NULL, subtitle text,
      publisher text, year bigint, pages bigint, language text, format text, cover bigint,
      authors bigint[] NOT NULL, isbns bigint[] NOT NULL, PRIMARY KEY (catalogue, id));
    CREATE INDEX catalogue_edition_work ON catalogue_edition (catalogue, work) WHERE work IS NOT NULL;
    CREATE TABLE catalogue_isbn (
      catalogue bigint NOT NULL, isbn bigint NOT NULL, edition bigint NOT NULL, PRIMARY KEY (catalogue, isbn));
    CREATE TABLE catalogue_search (
      catalogue bigint NOT NULL, work bigint NOT NULL, words tsvector NOT NULL, PRIMARY KEY (catalogue, work));
    CREATE INDEX catalogue_search_words ON catalogue_search USING gin (words);
    CREATE TABLE catalogue_common_word (
      catalogue bigint NOT NULL, word text COLLATE "C" NOT NULL, works bigint NOT NULL,
      PRIMARY KEY (catalogue, word));
    """
}
