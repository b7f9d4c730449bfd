/// A JSON value as it came.
///
/// One that was read from a text is a place in it and becomes a value when that is asked for; until then
/// it keeps the bytes of the whole text.
public struct RawJSON: Hashable, Sendable {
  private enum Source: Sendable {
    case value(JSONValue)
    case place(JSONDocument, Int)
  }

  private let source: Source

  /// A value that is there already.
  ///
  /// - Parameter value: The value.
  public init(_ value: JSONValue) { source = .value(value) }

  /// A value in a text.
  ///
  /// - Parameters:
  ///   - document: The text.
  ///   - place: The value's place in it.
  package init(_ document: JSONDocument, at place: Int) { source = .place(document, place) }

  /// The value.
  public var value: JSONValue {
    switch source {
    case .value(let value): value
    case .place(let document, let place): document.value(at: place)
    }
  }

  /// Where it stands in a text; nothing for a value that did not come from one.
  package var place: (document: JSONDocument, place: Int)? {
    guard case .place(let document, let place) = source else { return nil }
    return (document, place)
  }

  /// Whether both are the same value, however they came.
  public static func == (left: RawJSON, right: RawJSON) -> Bool { left.value == right.value }

  /// Feeds the value.
  public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
