import HTTPTypes
import Hummingbird
import Serving
import Synchronization

/// Requests for boards that were understood lately, by their text: most clients ask the same again.
///
/// Holds ``most`` requests at least and twice as many at most: when the newer half is full, it takes the
/// place of the older one. What is understood depends on the timetables; other ones empty it.
final class UnderstoodRequests: Sendable {
  /// The requests of one half.
  static let most = 4_096
  /// The longest text that is kept, in bytes.
  static let longest = 512

  /// What a request is understood by.
  private struct Key: Hashable {
    let path: String
    let acceptLanguage: String?
  }

  private struct State {
    var feeds: [Int] = []
    var newer: [Key: BoardRequest] = [:]
    var older: [Key: BoardRequest] = [:]

    mutating func keep(_ request: BoardRequest, _ key: Key) {
      if newer.count >= UnderstoodRequests.most { (older, newer) = (newer, [:]) }
      newer[key] = request
    }
  }

  private let state = Mutex(State())

  /// Understands a request.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - feeds: The timetables that serve.
  /// - Returns: What it asks for.
  /// - Throws: ``Problem`` as ``BoardRequest``; what is wrong is found out anew each time.
  func request(_ request: Request, feeds: [Feed]) async throws -> BoardRequest {
    let acceptLanguage = request.headers[.acceptLanguage]
    guard let path = request.head.path,
      path.utf8.count + (acceptLanguage?.utf8.count ?? 0) <= Self.longest
    else {
      return try await BoardRequest(
        QueryItems(request),
        acceptLanguage: acceptLanguage,
        feeds: feeds
      )
    }
    let key = Key(path: path, acceptLanguage: acceptLanguage)
    if let known = known(key, feeds) { return known }
    let asked = try await BoardRequest(
      QueryItems(request),
      acceptLanguage: acceptLanguage,
      feeds: feeds
    )
    state.withLock { state in
      // Other timetables may have come meanwhile.
      if state.feeds.elementsEqual(feeds.lazy.map(\.number)) { state.keep(asked, key) }
    }
    return asked
  }

  private func known(_ key: Key, _ feeds: [Feed]) -> BoardRequest? {
    state.withLock { state in
      guard state.feeds.elementsEqual(feeds.lazy.map(\.number)) else {
        state = State(feeds: feeds.map(\.number))
        return nil
      }
      if let request = state.newer[key] { return request }
      guard let request = state.older[key] else { return nil }
      state.keep(request, key)
      return request
    }
  }
}
