public import Freshness

/// What makes a recorded request checkable by somebody who was not there (R29).
///
/// A report compares these with each other and with the other client's: which subject was asked for
/// and which one the answer names, which answer of the server it was, and what its body was.
public struct SampleEvidence: Hashable, Sendable {
  /// Why the request was sent.
  public var origin: RefreshRequest.Origin?
  /// What was asked for, such as a stop_id.
  public var asked: String?
  /// What the answer says it is about.
  public var answered: String?
  /// The server's name for this answer: `X-MD-Request-Id`, else `X-Request-Id`.
  public var requestId: String?
  /// The entity tag of the answer, as it came.
  public var entityTag: String?
  /// The server's receipt for this answer, as it came (`X-MD-Receipt`).
  public var receipt: String?
  /// The FNV-1a hash of the body, 64 bits; nothing without a body.
  public var digest: UInt64?

  /// Creates evidence of nothing.
  public init(origin: RefreshRequest.Origin? = nil, asked: String? = nil) {
    self.origin = origin
    self.asked = asked
  }

  /// The FNV-1a hash of some bytes, 64 bits.
  public static func digest(of bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  /// The members of an exported line, in their order; nothing is left out.
  func add(to line: inout JSONLine) {
    line.add("origin", origin?.word)
    line.add("asked", asked)
    line.add("answered", answered)
    line.add("requestId", requestId)
    line.add("entityTag", entityTag)
    line.add("receipt", receipt)
    line.add("digest", digest.map { Self.hexadecimal($0) })
  }

  private static func hexadecimal(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension RefreshRequest.Origin {
  /// The word of the origin in exported samples.
  public var word: String {
    switch self {
    case .prefetch: "prefetch"
    case .schedule: "schedule"
    case .catchUp: "catch_up"
    case .change: "change"
    case .person: "person"
    }
  }
}
