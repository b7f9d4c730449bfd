/// The API of a public app, whose client works unmodified when its base URL is changed to this server's.
package enum Dialect: String, CaseIterable, Hashable, Sendable {
  /// The departure boards of MesDeparts.
  case mesdeparts
  /// The worktrees and agents of catnip.
  case catnip
  /// The imports of BooksTrack.
  case bookstrack

  /// All names, for help and errors.
  package static let names = allCases.map(\.rawValue).joined(separator: ", ")
}
