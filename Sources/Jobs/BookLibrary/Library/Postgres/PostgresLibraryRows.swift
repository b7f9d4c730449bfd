import Books

/// The rows of a library that a batch may ask for, and what the batch has changed in them.
///
/// One transaction loads it, one task uses it, and then the transaction writes the changes.
final class PostgresLibraryRows: LibraryRows {
  /// Texts are the same if their bytes are, as in a database.
  typealias Bytes = [UInt8]

  /// A source by its bytes.
  struct SourceKey: Hashable {
    let scope: String
    let entry: Bytes

    init(_ source: BookSource) { (scope, entry) = (source.scope, Array(source.entry.utf8)) }
  }

  /// A row of `import_row` that is new.
  struct NewReport {
    let report: RowReport
    let book: Int64?
  }

  /// The last ids that were given.
  var lastBook: Int64 = 0
  var lastRemoved: Int64 = 0

  private(set) var books: [Int64: BookRecord] = [:]
  private var isbns: [String: Int64] = [:]
  private var alike: [Bytes: Set<Int64>] = [:]
  private var entries: [Bytes: Set<Int64>] = [:]
  private(set) var records: [SourceKey: (source: BookSource, record: SourceRecord)] = [:]
  private var sources: [Int64: Set<SourceKey>] = [:]
  private var rowBooks: [Int: Int64] = [:]
  /// The lists of the service, the oldest first.
  var lists: [ListComparison.List] = []

  // What has changed.
  private(set) var inserted: Set<Int64> = []
  private(set) var updated: Set<Int64> = []
  private(set) var deleted: Set<Int64> = []
  private(set) var kept: Set<SourceKey> = []
  private(set) var forgotten: [SourceKey: BookSource] = [:]
  private(set) var reports: [NewReport] = []
  private(set) var unlisted: [(list: Int64, entry: String)] = []
  private(set) var removed: [(id: Int64, record: BookRecord, scope: String)] = []

  // MARK: Loading

  /// Takes a book over, unless it is here.
  func load(_ id: Int64, _ book: BookRecord) {
    guard books[id] == nil else { return }
    put(id, book)
  }

  func load(_ source: BookSource, _ record: SourceRecord) {
    let key = SourceKey(source)
    guard records[key] == nil, forgotten[key] == nil else { return }
    put(key, source, record)
  }

  func load(row: Int, book: Int64) { rowBooks[row] = book }

  /// Forgets that anything has changed: it was written.
  func finish() {
    (inserted, updated, deleted, kept) = ([], [], [], [])
    (forgotten, reports, unlisted, removed) = ([:], [], [], [])
  }

  // MARK: Books

  /// The key of what is alike.
  static func alikeKey(_ book: BookRecord) -> String { book.titleKey + "\n" + book.authorKey }

  private func put(_ id: Int64, _ book: BookRecord) {
    collect(id)
    books[id] = book
    if let isbn = book.isbn { isbns[isbn.description] = id }
    alike[Array(Self.alikeKey(book).utf8), default: []].insert(id)
    if let entry = book.entry { entries[Array(entry.utf8), default: []].insert(id) }
  }

  private func collect(_ id: Int64) {
    guard let book = books.removeValue(forKey: id) else { return }
    if let isbn = book.isbn?.description, isbns[isbn] == id { isbns[isbn] = nil }
    alike[Array(Self.alikeKey(book).utf8)]?.remove(id)
    if let entry = book.entry { entries[Array(entry.utf8)]?.remove(id) }
  }

  func book(_ id: Int64) -> BookRecord? { books[id] }

  func id(isbn: ISBN) -> Int64? { isbns[isbn.description] }

  func ids(like book: BookRecord) -> [Int64] {
    guard !book.titleKey.isEmpty else { return [] }
    let ids = alike[Array(Self.alikeKey(book).utf8), default: []].sorted()
      .filter { book.isbn == nil || books[$0]?.isbn == nil }
    return Array(ids.prefix(LibraryLimits.alikeBooks))
  }

  func ids(entry: String) -> [Int64] { entries[Array(entry.utf8), default: []].sorted() }

  func insert(_ book: BookRecord) -> Int64 {
    lastBook += 1
    inserted.insert(lastBook)
    put(lastBook, book)
    return lastBook
  }

  func update(_ id: Int64, _ book: BookRecord) {
    if !inserted.contains(id) { updated.insert(id) }
    put(id, book)
  }

  func remove(_ id: Int64) {
    updated.remove(id)
    if inserted.remove(id) == nil { deleted.insert(id) }
    collect(id)
  }

  // MARK: Sources

  private func put(_ key: SourceKey, _ source: BookSource, _ record: SourceRecord) {
    if let old = records[key] { sources[old.record.book]?.remove(key) }
    records[key] = (source, record)
    sources[record.book, default: []].insert(key)
  }

  func said(by source: BookSource) -> SourceRecord? { records[SourceKey(source)]?.record }

  func sources(of book: Int64) -> [BookSource] {
    sources[book, default: []].sorted {
      $0.scope == $1.scope
        ? $0.entry.lexicographicallyPrecedes($1.entry)
        : $0.scope.utf8.lexicographicallyPrecedes($1.scope.utf8)
    }.compactMap { records[$0]?.source }
  }

  func keep(_ said: SourceRecord, by source: BookSource) {
    let key = SourceKey(source)
    put(key, source, records[key]?.record.followed(by: said) ?? said)
    forgotten[key] = nil
    kept.insert(key)
  }

  func forget(_ source: BookSource) {
    let key = SourceKey(source)
    guard let old = records.removeValue(forKey: key) else { return }
    sources[old.record.book]?.remove(key)
    kept.remove(key)
    forgotten[key] = source
  }

  // MARK: The import

  func book(ofRow row: Int) -> Int64? { rowBooks[row] }

  func add(_ report: RowReport, book: Int64?) {
    reports.append(NewReport(report: report, book: book))
    rowBooks[report.row] = book
  }

  // MARK: Lists

  func isListed(_ source: BookSource) -> Bool {
    lists.contains { $0.entries.contains(source.entry) }
  }

  func unlist(_ entry: String, from list: Int64) {
    for place in lists.indices where lists[place].id == list {
      lists[place].entries.remove(entry)
    }
    unlisted.append((list, entry))
  }

  func keepRemoved(_ book: BookRecord, scope: String) {
    lastRemoved += 1
    removed.append((lastRemoved, book, scope))
  }
}
