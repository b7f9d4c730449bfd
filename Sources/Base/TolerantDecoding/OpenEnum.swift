/// A value of an enumeration that may have new cases: a known case, or any other string.
///
/// Strings are compared without regard to case and word separators, so `google_books`,
/// `google-books` and `Google Books` are equal.
public enum OpenEnum<Known>: RawRepresentable, Hashable, Sendable
where Known: RawRepresentable<String> & CaseIterable & Hashable & Sendable {
  /// A known case.
  case known(Known)
  /// Another string, as written.
  case unknown(String)

  /// Creates a value from any string.
  @inlinable
  public init(rawValue: String) {
    if let known = Known(rawValue: rawValue) {
      self = .known(known)
      return
    }
    let folded = Self.folded(rawValue)
    if let known = Known.allCases.first(where: { Self.folded($0.rawValue) == folded }) {
      self = .known(known)
    } else {
      self = .unknown(rawValue)
    }
  }

  /// The string; for a known case, that of the enumeration.
  @inlinable
  public var rawValue: String {
    switch self {
    case .known(let known): known.rawValue
    case .unknown(let text): text
    }
  }

  /// The known case; `nil` for another string.
  public var known: Known? {
    guard case .known(let known) = self else { return nil }
    return known
  }

  @usableFromInline
  static func folded(_ text: String) -> String {
    text.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " }
  }
}
