/// The content of a freshness label as data; the host supplies text and colors (R26, R28).
public struct FreshnessLabel: Hashable, Sendable {
  /// Why a copy has the reduced marker.
  public enum Reason: Hashable, Sendable {
    /// The realtime status is the reason.
    case status(RealtimeStatus)
    /// The response mode is the reason.
    case mode(ResponseMode)
  }

  /// The marker shown beside a copy (R26, seed 001).
  public enum Marker: Hashable, Sendable {
    /// The server says nothing about freshness.
    case none
    /// Realtime data is applied and the response is full.
    case normal
    /// Anything else, with its reason.
    case reduced(Reason)
  }

  /// The dot of a live badge (mesdeparts.md 1.1.12).
  public enum Badge: UInt8, Hashable, Sendable {
    /// Realtime data is applied and recent.
    case live
    /// Some realtime data, or data of moderate age.
    case partial
    /// No realtime data, or data too old to count as live.
    case unavailable
    /// The state is not known, or realtime data was not requested.
    case unknown
  }

  /// The severity of a text notice (mesdeparts.md 5.12).
  public enum Notice: UInt8, Hashable, Sendable {
    /// No notice.
    case none
    /// Realtime data is limited.
    case mild
    /// Realtime data is unavailable.
    case unavailable
  }

  /// The marker shown beside the copy.
  public var marker: Marker
  /// The dot of the badge.
  public var badge: Badge
  /// The severity of the notice.
  public var notice: Notice
  /// The age to show, if there is a copy.
  public var age: Instant.Duration?
  /// Whether a better copy is kept instead of the newest response (R20).
  public var isKept: Bool
  /// Where the copy comes from (R38).
  public var provenance: Provenance

  /// The number and unit of "updated … ago" (R28).
  public var wording: Age.Wording? { age.map { Age.wording($0) } }

  /// Creates a label from the metadata of a response.
  ///
  /// R26: the status is read first, then the mode, then the age.
  ///
  /// - Parameters:
  ///   - metadata: The metadata of the newest response.
  ///   - age: The age of the data now.
  ///   - isKept: Whether a better copy is kept.
  ///   - provenance: Where the copy comes from; a copy that the server did not send has neither
  ///     marker nor badge (R38).
  ///   - isAgeKnown: Whether the age is that of the data. Data of unknown age is neither live nor partial (R37).
  ///   - policy: The thresholds of the badge.
  public init(
    metadata: FreshnessMetadata,
    age: Instant.Duration?,
    isKept: Bool,
    provenance: Provenance = .server,
    isAgeKnown: Bool = true,
    policy: Policy
  ) {
    let isOfServer = provenance == .server
    let status = isOfServer ? metadata.effectiveStatus : nil
    self.age = age
    self.isKept = isKept
    self.provenance = provenance
    self.marker = Self.marker(status: status, mode: isOfServer ? metadata.mode : nil)
    self.notice = Self.notice(status)
    let badge = Self.badge(status, age: age, policy: policy)
    self.badge = isAgeKnown || badge == .unavailable ? badge : .unknown
  }

  private static func marker(status: RealtimeStatus?, mode: ResponseMode?) -> Marker {
    if let status, status != .applied { return .reduced(.status(status)) }
    if let mode, mode != .full { return .reduced(.mode(mode)) }
    return status == nil && mode == nil ? .none : .normal
  }

  private static func notice(_ status: RealtimeStatus?) -> Notice {
    switch status {
    case nil, .applied: .none
    case .partial, .skippedBudget, .disabled, .unknown: .mild
    case .missingCache, .staleCache, .guardedError: .unavailable
    }
  }

  private static func badge(
    _ status: RealtimeStatus?,
    age: Instant.Duration?,
    policy: Policy
  ) -> Badge {
    let badge: Badge =
      switch status {
      case .applied: .live
      case .partial: .partial
      case .missingCache, .staleCache, .guardedError: .unavailable
      case nil, .skippedBudget, .disabled, .unknown: .unknown
      }
    // Age can only lower the badge.
    guard let age, badge != .unknown else { return badge }
    if age > policy.badgeUnavailableAfter { return .unavailable }
    return age > policy.badgePartialAfter && badge == .live ? .partial : badge
  }
}
