public import Freshness

/// One request as exported: a line of JSON Lines (R29).
///
/// Members that are not known are absent. Times are milliseconds since 1970, measured with the
/// monotonic clock from the wall time at which the client was created. Intervals between records
/// are therefore correct even if the wall clock is set.
public struct SampleRecord: Hashable, Sendable {
  /// The sample.
  public var sample: Sample
  /// The method and URL of the resource.
  public var resource: String
  /// When the request started, on the device's wall clock.
  public var startedAt: WallTime
  /// When it ended, on the device's wall clock.
  public var endedAt: WallTime
  /// The evidence for the sample.
  public var evidence: SampleEvidence

  /// Creates a record.
  ///
  /// - Parameters:
  ///   - sample: The sample.
  ///   - resource: The method and URL of the resource.
  ///   - origin: The wall time at which the run began.
  ///   - evidence: The evidence for the sample.
  public init(
    _ sample: Sample,
    resource: String,
    origin: WallTime,
    evidence: SampleEvidence = SampleEvidence()
  ) {
    self.sample = sample
    self.evidence = evidence
    self.resource = resource
    startedAt = WallTime(milliseconds: origin.milliseconds + sample.startedAt.milliseconds)
    endedAt = WallTime(milliseconds: origin.milliseconds + sample.endedAt.milliseconds)
  }

  /// The record as one line of JSON, without a line end.
  ///
  /// Members: `resource`, `context`, `generation`, `origin`, `asked`, `answered`, `requestId`,
  /// `entityTag`, `receipt`, `digest` (16 hexadecimal digits), `startedAt`, `endedAt`, `durationMs`, `status`,
  /// `outcome`, `verdict`, `serverTime`, `rtFetchedAt`, `rtCacheAgeMs`, `ageMs`, `responseMode`,
  /// `rtStatus`, `skewMs`, `bytes`, `conditional`, `changed`, `changeToScreenMs`, `cadenceMs`.
  public var line: String {
    var line = JSONLine()
    line.add("resource", resource)
    line.add("context", "\(sample.ticket.context.question).\(sample.ticket.context.identity)")
    line.add("generation", sample.ticket.generation)
    evidence.add(to: &line)
    line.add("startedAt", startedAt.milliseconds)
    line.add("endedAt", endedAt.milliseconds)
    line.add("durationMs", sample.duration.milliseconds)
    line.add("status", Int64(sample.status))
    line.add("outcome", sample.outcome.name)
    line.add("verdict", sample.verdict.map { "\($0)" })
    line.add("serverTime", sample.metadata.serverTime?.milliseconds)
    line.add("rtFetchedAt", sample.metadata.fetchedAt?.milliseconds)
    line.add("rtCacheAgeMs", sample.metadata.cacheAge?.milliseconds)
    line.add("ageMs", sample.metadata.ageAtArrival?.milliseconds)
    line.add("responseMode", sample.metadata.mode?.name)
    line.add("rtStatus", sample.metadata.effectiveStatus?.name)
    line.add("skewMs", sample.skew?.milliseconds)
    line.add("bytes", sample.bytes)
    line.add("conditional", sample.isConditional)
    line.add("changed", sample.isChange)
    line.add("changeToScreenMs", sample.changeToScreen?.milliseconds)
    line.add("cadenceMs", sample.cadence.milliseconds)
    return line.text
  }
}

extension Outcome {
  /// The name of the outcome in exported samples.
  public var name: String {
    switch self {
    case .content: "content"
    case .unchanged: "unchanged"
    case .refused: "refused"
    case .unauthorised: "unauthorised"
    case .gone: "gone"
    case .throttled: "throttled"
    case .serverError: "server_error"
    case .timedOut: "timed_out"
    case .unreachable: "unreachable"
    case .undecodable: "undecodable"
    case .cancelled: "cancelled"
    }
  }
}

extension Failure.Kind {
  /// The name of the failure in exported lines.
  public var name: String {
    switch self {
    case .refused: "refused"
    case .unauthorised: "unauthorised"
    case .gone: "gone"
    case .throttled: "throttled"
    case .serverError: "server_error"
    case .timedOut: "timed_out"
    case .unreachable: "unreachable"
    case .undecodable: "undecodable"
    case .missingBody: "missing_body"
    }
  }
}

extension ResponseMode {
  /// The value on the wire (seed 001, `meta.responseMode`).
  public var name: String {
    switch self {
    case .full: "full"
    case .degradedStatic: "degraded_static"
    case .staleCacheFallback: "stale_cache_fallback"
    case .staticTimeoutFallback: "static_timeout_fallback"
    case .unknown: "unknown"
    }
  }

  /// Reads a value from the wire; one that is not known becomes ``unknown``.
  public init(name: String) {
    let known: [ResponseMode] = [
      .full, .degradedStatic, .staleCacheFallback, .staticTimeoutFallback,
    ]
    self = known.first { $0.name == name } ?? .unknown
  }
}

extension RealtimeStatus {
  /// The value on the wire (seed 001, `meta.rtStatus`).
  public var name: String {
    switch self {
    case .applied: "applied"
    case .partial: "partial"
    case .skippedBudget: "skipped_budget"
    case .disabled: "disabled"
    case .missingCache: "missing_cache"
    case .staleCache: "stale_cache"
    case .guardedError: "guarded_error"
    case .unknown: "unknown"
    }
  }

  /// Reads a value from the wire; one that is not known becomes ``unknown``.
  public init(name: String) {
    let known: [RealtimeStatus] = [
      .applied, .partial, .skippedBudget, .disabled, .missingCache, .staleCache, .guardedError,
    ]
    let other = name == "degraded" || name == "mixed" ? RealtimeStatus.partial : .unknown
    self = known.first { $0.name == name } ?? other
  }
}
