/// A value of an enumeration that may have grown since: one that is known, or any other text.
///
/// Texts are compared without regard to case and to what separates words, so `google_books`,
/// `google-books` and `Google Books` are one.
public enum OpenEnum<Known>: RawRepresentable, Hashable, Sendable
where Known: RawRepresentable<String> & CaseIterable & Hashable & Sendable {
  /// One of those that are known.
  case known(Known)
  /// Another text, as it is written.
  case unknown(String)

  /// Takes any text.
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

  /// The text; that of the enumeration for one that is known.
  @inlinable
  public var rawValue: String {
    switch self {
    case .known(let known): known.rawValue
    case .unknown(let text): text
    }
  }

  /// The known value; nothing for another text.
  public var known: Known? {
    guard case .known(let known) = self else { return nil }
    return known
  }

  @usableFromInline
  static func folded(_ text: String) -> String {
    text.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " }
  }
}
