import ConditionalHTTP
import HTTPTypes
import Hummingbird

/// The parts of a request for a board that determine what it asks for.
struct RequestText: Hashable, Sendable {
  /// The longest text, in bytes: longer ones are rare, and not worth remembering.
  static let longest = 512

  private let path: String
  private let acceptLanguage: String?

  /// Reads the parts; `nil` if they are longer than ``longest``.
  init?(_ request: Request) {
    guard let path = request.head.path else { return nil }
    acceptLanguage = request.headers.value(of: .acceptLanguage)
    guard path.utf8.count + (acceptLanguage?.utf8.count ?? 0) <= Self.longest else { return nil }
    self.path = path
  }
}
