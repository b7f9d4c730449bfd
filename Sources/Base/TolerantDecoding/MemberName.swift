import StrictJSON

/// The name of a member, and its former or alternative names.
///
///     field["processedCount"]
///     field[["processedCount", "processed_count"]]
public struct MemberName: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral
{
  /// The current name.
  public let name: String
  /// The aliases, in the order of lookup.
  public let aliases: [String]
  /// The lengths of all of them, to skip objects without a name of such a length.
  let lengths: JSONDocument.NameLengths

  /// Creates a name.
  ///
  /// - Parameters:
  ///   - name: The current name.
  ///   - aliases: The aliases, in the order of lookup.
  public init(_ name: String, aliases: [String] = []) {
    self.name = name
    self.aliases = aliases
    var lengths = JSONDocument.NameLengths(of: name)
    for alias in aliases { lengths.formUnion(.init(of: alias)) }
    self.lengths = lengths
  }

  /// Creates a name without aliases.
  public init(stringLiteral name: String) { self.init(name) }

  /// Creates a name from the current name and the aliases; an empty list is the empty name.
  public init(arrayLiteral names: String...) {
    self.init(names.first ?? "", aliases: Array(names.dropFirst()))
  }
}
