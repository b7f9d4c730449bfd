import StrictJSON

/// The name of a member, and names that it has or had elsewhere.
///
///     field["processedCount"]
///     field[["processedCount", "processed_count"]]
public struct MemberName: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral
{
  /// Today's name.
  public let name: String
  /// Others, in the order in which they are looked for.
  public let aliases: [String]
  /// The lengths of all of them: objects without a name of such a length are passed over.
  let lengths: JSONDocument.NameLengths

  /// Creates a name.
  ///
  /// - Parameters:
  ///   - name: Today's name.
  ///   - aliases: Others, in the order in which they are looked for.
  public init(_ name: String, aliases: [String] = []) {
    self.name = name
    self.aliases = aliases
    var lengths = JSONDocument.NameLengths(of: name)
    for alias in aliases { lengths.formUnion(.init(of: alias)) }
    self.lengths = lengths
  }

  /// A name without others.
  public init(stringLiteral name: String) { self.init(name) }

  /// Today's name and then the others; an empty list is the empty name.
  public init(arrayLiteral names: String...) {
    self.init(names.first ?? "", aliases: Array(names.dropFirst()))
  }
}
