import ConditionalHTTP
import Jobs

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

  /// When a token ends.
  ///
  /// A token that no newer one has replaced is valid as long as its job, and after its end as long as the results. For
  /// a job that has not ended, the reported expiry is in the future by at least half of a token's life, and rarely
  /// changes.
  static func end(
    of expiry: Int64,
    isReplaced: Bool,
    _ job: JobRow,
    at now: Int64,
    _ limits: JobLimits
  ) -> Int64 {
    guard !isReplaced, !job.state.isTerminal else { return expiry }
    let length = Int64(limits.tokenSeconds) * 1_000
    let least = now + length / 2
    guard expiry < least else { return expiry }
    return expiry + (least - expiry + length - 1) / length * length
  }
}
