/// The message authentication code HMAC with SHA-256 (RFC 2104, FIPS 198-1).
package enum HMACSHA256 {
  private static let block = 64

  /// Returns the code of a message: 32 bytes.
  package static func code(_ message: some Sequence<UInt8>, key: [UInt8]) -> [UInt8] {
    var key = key.count > block ? SHA256.hash(key) : key
    key += [UInt8](repeating: 0, count: block - key.count)
    let inner = SHA256.hash(key.map { $0 ^ 0x36 } + Array(message))
    return SHA256.hash(key.map { $0 ^ 0x5C } + inner)
  }

  /// Returns whether two codes are equal, in constant time for codes of one length.
  package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
