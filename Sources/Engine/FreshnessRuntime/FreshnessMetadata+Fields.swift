import ConditionalHTTP
public import Freshness
public import HTTPTypes

// The fields with which Freshet's servers describe responses, with or without a body.

extension FreshnessMetadata {
  /// Reads `x-md-rt-status`, `x-md-rt-fetched-at` and `x-md-rt-age-ms`, or returns `nil` without any
  /// of them.
  public init?(fields: HTTPFields) {
    let fetchedAt = fields["x-md-rt-fetched-at"].flatMap { WallTime(instant: $0) }
    let cacheAge = fields["x-md-rt-age-ms"].flatMap { Int64($0) }
    let status = fields["x-md-rt-status"]
    guard fetchedAt != nil || cacheAge != nil || status != nil else { return nil }
    self.init(
      fetchedAt: fetchedAt,
      cacheAge: cacheAge.flatMap { $0 >= 0 ? .milliseconds($0) : nil },
      status: status.map { RealtimeStatus(name: $0) }
    )
  }
}

extension Hints {
  /// Reads `x-md-rt-next-ms` and `x-md-rt-spread-ms`, or returns `nil` without either (R31).
  public init?(fields: HTTPFields) {
    func milliseconds(_ name: String) -> Instant.Duration? {
      fields[name].flatMap { Int64($0) }.map { .milliseconds(max($0, 0)) }
    }
    self.init(maxAge: milliseconds("x-md-rt-next-ms"), spread: milliseconds("x-md-rt-spread-ms"))
    guard self != Hints() else { return nil }
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
