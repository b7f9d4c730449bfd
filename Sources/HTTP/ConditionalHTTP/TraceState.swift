/// Reads `tracestate`, what other systems pass on about a trace (W3C Trace Context, level 2, section 3.3).
enum TraceState {
  /// The most members of a list.
  static let mostMembers = 32
  /// The most bytes that are passed on.
  static let mostBytes = 512
  /// A member longer than this is the first to go.
  static let longMember = 128

  /// Returns what is passed on, in the same order.
  ///
  /// - Parameter fields: The values of the fields, in order.
  /// - Returns: The list; `nil` if it is empty or not valid.
  static func read(_ fields: [String]) -> String? {
    var members: [Substring.UTF8View] = []
    var keys: Set<String> = []
    for field in fields {
      for part in field.utf8.split(separator: UInt8(ascii: ",")) {
        let member = trimmed(part)
        if member.isEmpty { continue }
        guard members.count < mostMembers, let key = key(of: member), keys.insert(key).inserted
        else { return nil }
        members.append(member)
      }
    }
    func size() -> Int { members.reduce(members.count - 1) { $0 + $1.count } }
    if size() > mostBytes { members.removeAll { $0.count > longMember } }
    while size() > mostBytes { members.removeLast() }
    guard !members.isEmpty else { return nil }
    return members.map { String(Substring($0)) }.joined(separator: ",")
  }

  private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
    var text = text
    while let first = text.first, first == 0x20 || first == 0x09 { text.removeFirst() }
    while let last = text.last, last == 0x20 || last == 0x09 { text.removeLast() }
    return text
  }

  /// The key of a member; `nil` if the member is not valid.
  private static func key(of member: Substring.UTF8View) -> String? {
    guard let equals = member.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    let key = member[..<equals]
    let value = member[member.index(after: equals)...]
    guard (1...256).contains(key.count), (1...256).contains(value.count),
      let first = key.first, isLetterOrDigit(first),
      key.allSatisfy({ isLetterOrDigit($0) || Array("_-*/@".utf8).contains($0) }),
      value.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") })
    else { return nil }
    return String(Substring(key))
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
  }
}
