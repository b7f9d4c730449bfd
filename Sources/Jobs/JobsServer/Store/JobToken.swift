import ConditionalHTTP

/// The secret that opens one job; stored as its hash only.
enum JobToken {
  /// How many random bytes a token has.
  private static let size = 32

  /// A new token: 64 hexadecimal digits of the system's random source.
  static func make() -> String {
    var generator = SystemRandomNumberGenerator()
    return hex((0..<size).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
  }

  /// The stored form of a token.
  ///
  /// Lookups compare hashes, so their timing reveals nothing about the token.
  static func hash(_ token: String) -> [UInt8] { SHA256.hash(token.utf8) }

  /// Bytes as hexadecimal digits.
  static func hex(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
      as: UTF8.self
    )
  }
}
