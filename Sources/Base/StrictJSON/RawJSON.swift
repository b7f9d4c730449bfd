/// A JSON value as received.
///
/// A value from a document is a position in it, and is decoded on demand; until then it keeps the
/// bytes of the whole document.
public struct RawJSON: Hashable, Sendable {
  private enum Source: Sendable {
    case value(JSONValue)
    case place(JSONDocument, Int)
  }

  private let source: Source

  /// Creates a value that is decoded already.
  ///
  /// - Parameter value: The value.
  public init(_ value: JSONValue) { source = .value(value) }

  /// Creates a value in a document.
  ///
  /// - Parameters:
  ///   - document: The document.
  ///   - place: The value's place in it.
  package init(_ document: JSONDocument, at place: Int) { source = .place(document, place) }

  /// The value.
  public var value: JSONValue {
    switch source {
    case .value(let value): value
    case .place(let document, let place): document.value(at: place)
    }
  }

  /// Its position in a document; `nil` for a value that did not come from one.
  package var place: (document: JSONDocument, place: Int)? {
    guard case .place(let document, let place) = source else { return nil }
    return (document, place)
  }

  /// Returns whether both are the same value, whatever their source.
  public static func == (left: RawJSON, right: RawJSON) -> Bool { left.value == right.value }

  /// Hashes the value.
  public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
