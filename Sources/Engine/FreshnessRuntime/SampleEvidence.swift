public import Freshness
import Hashing

/// Evidence that lets a third party check a recorded request (R29).
///
/// A report compares these values with each other and with the other client's: the requested
/// subject, the subject of the response, the identifier of the response, and the hash of its body.
public struct SampleEvidence: Hashable, Sendable {
  /// Why the request was sent.
  public var reason: RefreshRequest.Reason?
  /// The requested subject, such as a stop_id.
  public var asked: String?
  /// The subject that the response names.
  public var answered: String?
  /// The server's identifier of this response: `X-MD-Request-Id`, else `X-Request-Id`.
  public var requestId: String?
  /// The entity tag of the response, as received.
  public var entityTag: String?
  /// The server's receipt for this response, as received (`X-MD-Receipt`).
  public var receipt: String?
  /// The 64-bit FNV-1a hash of the body; `nil` without a body.
  public var digest: UInt64?

  /// Creates evidence without a response.
  public init(reason: RefreshRequest.Reason? = nil, asked: String? = nil) {
    self.reason = reason
    self.asked = asked
  }

  /// Returns the 64-bit FNV-1a hash of some bytes.
  public static func digest(of bytes: some Sequence<UInt8>) -> UInt64 {
    FNV1a.hash(bytes)
  }

  /// Adds the members of an exported line in order, omitting those that are `nil`.
  func add(to line: inout JSONLine) {
    line.add("origin", reason?.name)
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

extension RefreshRequest.Reason {
  /// The name of the origin in exported samples.
  public var name: String {
    switch self {
    case .prefetch: "prefetch"
    case .schedule: "schedule"
    case .catchUp: "catch_up"
    case .change: "change"
    case .person: "person"
    }
  }
}
