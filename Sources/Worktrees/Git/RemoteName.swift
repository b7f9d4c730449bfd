/// The name of a repository, from the address of its remote.
public enum RemoteName: Sendable {
  /// Returns `owner/repository` of an address; `nil` if it does not end with two names.
  ///
  /// Reads `https://host/owner/name.git`, `ssh://git@host/owner/name`, `git@host:owner/name.git` and the
  /// like. A local path has no owner.
  public static func read(_ address: String) -> String? {
    var text = Array(address.utf8)[...]
    while let last = text.last, last <= 0x20 || last == UInt8(ascii: "/") { text.removeLast() }
    if text.suffix(4).elementsEqual(".git".utf8) { text.removeLast(4) }
    let parts: [ArraySlice<UInt8>]
    if let scheme = text.indices.first(where: { text[$0...].starts(with: "://".utf8) }) {
      guard !text[..<scheme].elementsEqual("file".utf8) else { return nil }
      parts = Array(text[(scheme + 3)...].split(separator: UInt8(ascii: "/")).dropFirst())
    } else if let colon = text.firstIndex(of: UInt8(ascii: ":")),
      !text[..<colon].contains(UInt8(ascii: "/"))
    {
      parts = text[(colon + 1)...].split(separator: UInt8(ascii: "/"))
    } else {
      return nil
    }
    guard parts.count >= 2, parts.suffix(2).allSatisfy({ isPlain($0) }) else { return nil }
    return parts.suffix(2).map(\.text).joined(separator: "/")
  }

  private static func isPlain(_ part: ArraySlice<UInt8>) -> Bool {
    !part.isEmpty && part.allSatisfy { $0 > 0x20 && $0 != 0x7F }
  }
}
