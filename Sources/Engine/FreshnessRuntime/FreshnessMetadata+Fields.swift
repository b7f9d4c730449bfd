import ConditionalHTTP
public import Freshness
public import HTTPTypes

// The fields with which Freshet's servers describe responses, with or without a body.

extension FreshnessMetadata {
  /// Reads `x-md-rt-status`, `x-md-rt-fetched-at` and `x-md-rt-age-ms`, or returns `nil` without a
  /// status.
  public init?(fields: HTTPFields) {
    guard let status = fields["x-md-rt-status"] else { return nil }
    self.init(
      fetchedAt: fields["x-md-rt-fetched-at"].flatMap { WallTime(instant: $0) },
      cacheAge: fields["x-md-rt-age-ms"].flatMap { Int64($0) }
        .flatMap { $0 >= 0 ? .milliseconds($0) : nil },
      status: RealtimeStatus(word: status)
    )
  }
}

extension Hints {
  /// Reads `x-md-rt-next-ms` and `x-md-rt-spread-ms`, or returns `nil` without the former (R31).
  public init?(fields: HTTPFields) {
    func milliseconds(_ name: String) -> Timespan? {
      fields[name].flatMap { Int64($0) }.map { .milliseconds(max($0, 0)) }
    }
    guard let next = milliseconds("x-md-rt-next-ms") else { return nil }
    self.init(maxAge: next, spread: milliseconds("x-md-rt-spread-ms"))
  }
}

extension FreshnessMetadata {
  /// Sets the server's clock from an RFC 3339 instant; without a fraction it counts whole seconds.
  public mutating func setServerTime(instant text: String?) {
    serverTime = text.flatMap { WallTime(instant: $0) }
    truncation = text?.contains(".") == false ? Self.truncationOfDate : .zero
  }
}

extension WallTime {
  /// Reads an RFC 3339 instant, to the nearest millisecond; returns `nil` if it is not one.
  public init?(instant text: String) {
    guard let seconds = InstantText.read(text) else { return nil }
    self.init(milliseconds: Int64((seconds * 1_000).rounded()))
  }
}

extension HTTPFields {
  fileprivate subscript(name: String) -> String? {
    HTTPField.Name(name).flatMap { self[$0] }
  }
}
