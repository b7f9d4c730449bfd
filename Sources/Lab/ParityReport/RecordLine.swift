import StrictJSON

/// Reads one line of JSON Lines: a flat object.
///
/// Nested values are read and ignored.
enum RecordLine {
  /// A value of a member.
  enum Value: Hashable {
    case text(String)
    case number(Int64)
    case flag(Bool)
    /// `null`, a list or an object.
    case other
  }

  /// An error in a line.
  struct Fault: Error, Hashable {
    var problem: String
  }

  /// The maximum nesting.
  private static let deepest = 8
  /// The maximum number of members of an object.
  private static let mostMembers = 256

  private static let rules: JSONReader.Rules = {
    var rules = JSONReader.Rules()
    rules.deepest = deepest
    rules.longest = ReportLimits.longestLine
    // Clocks of browsers have fractions.
    rules.roundsFractions = true
    return rules
  }()

  /// Reads the members of a line.
  static func members(of bytes: [UInt8]) throws(Fault) -> [String: Value] {
    guard bytes.first(where: { $0 != 0x20 && $0 != 0x09 }) == UInt8(ascii: "{") else {
      throw Fault(problem: "column 1: no object begins here")
    }
    let value: JSONValue
    do throws(JSONReader.Fault) {
      value = try JSONReader.value(of: bytes, rules: rules)
    } catch {
      throw Fault(problem: "column \(error.column): \(error.problem)")
    }
    guard case .object(let members) = value else {
      throw Fault(problem: "column 1: no object begins here")
    }
    guard members.count <= mostMembers else {
      throw Fault(problem: "more than \(mostMembers) members")
    }
    var values: [String: Value] = [:]
    for (name, value) in members {
      if case .string(let text) = value, text.utf8.count > ReportLimits.longestText {
        let most = ReportLimits.longestText
        throw Fault(problem: "the member \"\(name.prefix(40))\": longer than \(most) bytes")
      }
      values[name] = Value(value)
    }
    return values
  }
}

extension RecordLine.Value {
  fileprivate init(_ value: JSONValue) {
    switch value {
    case .string(let text): self = .text(text)
    case .whole(let number): self = .number(number)
    case .bool(let flag): self = .flag(flag)
    case .null, .decimal, .list, .object: self = .other
    }
  }
}
