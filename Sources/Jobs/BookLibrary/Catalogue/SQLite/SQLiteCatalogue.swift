package import Books
import GRDB
import Storage
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The catalogue at a path, whose file an import may replace at any time.
///
/// ``renew()`` checks the file and opens it if it was replaced. The old one is closed when its last search has ended.
/// While no file is open, no book is known.
package final class SQLiteCatalogue: CatalogueStore {
  /// Identifies a file.
  private struct Mark: Hashable {
    var device: UInt64
    var inode: UInt64
    var seconds: Int
    var nanoseconds: Int

    init?(path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      device = UInt64(status.st_dev)
      inode = UInt64(status.st_ino)
      #if canImport(Glibc)
      let time = status.st_mtim
      #else
      let time = status.st_mtimespec
      #endif
      (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec)
    }
  }

  private struct State {
    var mark: Mark?
    var catalogue: SQLiteCatalogueReader?
  }

  /// What reports call it.
  package let name = "dump"

  /// The path of the file.
  package let place: String
  private let failed: @Sendable (LibraryError) -> Void
  private let state = Mutex(State())

  /// Names the catalogue; nothing is opened.
  ///
  /// - Parameters:
  ///   - path: Where the catalogue is, or will be.
  ///   - failed: Called when a later file cannot be opened; the previous one stays in use.
  package init(path: String, failed: @escaping @Sendable (LibraryError) -> Void = { _ in }) {
    place = path
    self.failed = failed
  }

  /// Opens the catalogue if there is one.
  ///
  /// - Throws: ``LibraryError`` if the file is not a catalogue.
  package func open() throws(LibraryError) {
    guard let mark = Mark(path: place) else { return }
    let catalogue = try SQLiteCatalogueReader(path: place)
    state.withLock { $0 = State(mark: mark, catalogue: catalogue) }
  }

  /// Checks that a file is a catalogue, if it is there; nothing is changed.
  ///
  /// - Throws: ``LibraryError``.
  package static func check(path: String) throws(LibraryError) {
    try SQLiteCatalogue(path: path).open()
  }

  /// Whether a catalogue is open.
  package var isOpen: Bool { state.withLock { $0.catalogue != nil } }

  /// Whether the catalogue that is open, if there is one, ranks what a search finds.
  package var isRanked: Bool { state.withLock { $0.catalogue?.isRanked ?? true } }

  /// Opens the file if another one has come; each file is tried once.
  package func renew() {
    guard let mark = Mark(path: place), state.withLock({ $0.mark != mark }) else { return }
    do {
      let catalogue = try SQLiteCatalogueReader(path: place)
      state.withLock { $0 = State(mark: mark, catalogue: catalogue) }
    } catch {
      state.withLock { $0.mark = mark }
      failed(error)
    }
  }

  /// The edition with a number.
  package func book(isbn: ISBN) async throws(ProviderError) -> CatalogueBook? {
    try await catalogue?.book(isbn: isbn)
  }

  /// Works with the words of a title.
  package func candidates(
    title: String,
    author: String?,
    limit: Int
  ) async throws(ProviderError) -> [CatalogueBook] {
    try await catalogue?.candidates(title: title, author: author, limit: limit) ?? []
  }

  /// Works with any of the words.
  package func candidates(
    words: String,
    limit: Int
  ) async throws(ProviderError) -> [CatalogueBook] {
    try await catalogue?.candidates(words: words, limit: limit) ?? []
  }

  private var catalogue: SQLiteCatalogueReader? { state.withLock { $0.catalogue } }

  /// How much it has, as of the file that is open.
  package func counts() async throws(ProviderError) -> CatalogueCounts? {
    try await catalogue?.counts()
  }

  /// Writes the new file beside the place, and renames it when it is whole.
  package func replace(
    _ fill: (any CatalogueDraft) async throws -> Void,
    telling: (CatalogueImport.Progress.Phase) -> Void
  ) async throws {
    let turn = try await ImportTurn.acquire(at: place) { telling(.waiting) }
    defer { turn.end() }
    let partial = place + ".partial"
    unlink(partial)
    do {
      let queue = try DatabaseFile.create(path: partial)
      try await queue.write { try $0.execute(sql: SQLiteCatalogueSchema.tables) }
      try await fill(SQLiteCatalogueDraft(queue: queue))
      telling(.ordering)
      try await queue.write { try SQLiteCatalogueSchema.finish($0) }
      try queue.close()
    } catch {
      unlink(partial)
      throw error
    }
    guard rename(partial, place) == 0 else {
      let reason = String(cString: strerror(errno))
      unlink(partial)
      throw LibraryError(.unusable, "\(place): \(reason)")
    }
  }
}
