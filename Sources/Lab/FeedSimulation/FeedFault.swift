/// A fault of one publication of a failing producer.
package enum FeedFault: Hashable, Sendable {
  /// The publication appears late, in milliseconds; until then the previous one is served.
  case late(Int64)
  /// 200 without a byte.
  case emptyBody
  /// 200 with a header and no entities.
  case noEntities
  /// 200 that ends early, after this share of the bytes, in permille.
  case truncated(Int)
  /// 200 with the content and the timestamp of this many publications ago.
  case backDated(Int64)
  /// A server error with this status.
  case serverError(Int)
  /// 200 after this delay, in milliseconds.
  case slow(Int64)
  /// 429 with a `Retry-After` of this many seconds.
  case tooManyRequests(Int)

  /// The kind of fault, for counting.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// See ``FeedFault/late(_:)``.
    case late
    /// See ``FeedFault/emptyBody``.
    case emptyBody = "empty_body"
    /// See ``FeedFault/noEntities``.
    case noEntities = "no_entities"
    /// See ``FeedFault/truncated(_:)``.
    case truncated
    /// See ``FeedFault/backDated(_:)``.
    case backDated = "back_dated"
    /// See ``FeedFault/serverError(_:)``.
    case serverError = "server_error"
    /// See ``FeedFault/slow(_:)``.
    case slow
    /// See ``FeedFault/tooManyRequests(_:)``.
    case tooManyRequests = "too_many_requests"
  }

  /// The kind of fault.
  package var kind: Kind {
    switch self {
    case .late: .late
    case .emptyBody: .emptyBody
    case .noEntities: .noEntities
    case .truncated: .truncated
    case .backDated: .backDated
    case .serverError: .serverError
    case .slow: .slow
    case .tooManyRequests: .tooManyRequests
    }
  }

  /// Draws a fault of any kind for a feed with a period in milliseconds.
  init(_ random: RandomSource, period: Int64) {
    let kinds = Kind.allCases
    let detail = RandomSource.Purpose.faultDetail
    switch kinds[random.within(0...kinds.count - 1, detail)] {
    case .late: self = .late(max(1, Int64(random.within(15...170, detail, 1)) * period / 100))
    case .emptyBody: self = .emptyBody
    case .noEntities: self = .noEntities
    case .truncated: self = .truncated(random.within(5...995, detail, 1))
    case .backDated: self = .backDated(Int64(random.within(2...40, detail, 1)))
    case .serverError: self = .serverError([500, 502, 503, 504][random.within(0...3, detail, 1)])
    case .slow: self = .slow(Int64(random.within(2...20, detail, 1)) * 1_000)
    case .tooManyRequests: self = .tooManyRequests(random.within(2...45, detail, 1))
    }
  }
}
