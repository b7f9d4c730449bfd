package import TolerantDecoding

/// What a machine reports to a hub about its worktrees (`POST /v1/machines/{name}/report`).
///
/// The first report of a reporter is complete. Later ones say what changed since the last one that the hub accepted.
package struct WorkspaceReport: Encodable, Hashable, Sendable {
  /// Identifies a run of the reporter.
  package var instance: String
  /// The number of this report, greater than that of every earlier one of the instance.
  package var sequence: Int64
  /// The report that this one follows; `nil` if it is complete.
  package var base: Int64?
  /// How old what it says is, in milliseconds: the time since the machine's server last confirmed it.
  package var age: Int64
  /// The reporter's wall clock when it was sent, in milliseconds since 1970; says how wrong that clock is.
  package var clock: Int64
  /// The worktrees that are new or different.
  package var changed: [Workspace]
  /// The ids of those that are gone.
  package var removed: [String]
  /// How many worktrees of the machine are left out.
  package var omitted: Int
  /// Whether the reporter ends.
  package var isLast: Bool

  /// Creates a report.
  package init(
    instance: String,
    sequence: Int64,
    base: Int64? = nil,
    age: Int64 = 0,
    clock: Int64 = 0,
    changed: [Workspace] = [],
    removed: [String] = [],
    omitted: Int = 0,
    isLast: Bool = false
  ) {
    self.instance = instance
    self.sequence = sequence
    self.base = base
    self.age = age
    self.clock = clock
    self.changed = changed
    self.removed = removed
    self.omitted = omitted
    self.isLast = isLast
  }

  private enum CodingKeys: String, CodingKey {
    case instance, sequence, base, changed, removed, omitted
    case age = "age_ms"
    case clock = "clock_ms"
    case isLast = "last"
  }

  /// Reads a report; a worktree that cannot be used is left out.
  ///
  /// - Parameter bytes: The body.
  /// - Returns: The report; `nil` if a member that every report has is missing or wrong.
  /// - Throws: `DecodeFailure` if the body is not JSON within the limits.
  package static func read(_ bytes: [UInt8]) throws(DecodeFailure) -> Self? {
    var limits = DecodeLimits()
    limits.bytes = ReportLimits.reportBytes
    // One more than a machine may have is too many, which is not hidden.
    limits.elements = ReportLimits.worktrees + 1
    return try TolerantDecoder(limits: limits).decode(bytes) { root -> Self? in
      guard root.holdsObject, let instance = root["instance"].string(),
        !instance.isEmpty, instance.utf8.count <= ReportLimits.nameBytes,
        let sequence = root["sequence"].int(), sequence > 0, let age = root["age_ms"].int(),
        let clock = root["clock_ms"].int()
      else { return nil }
      let base = root["base"]
      guard !base.isPresent || base.int() != nil else { return nil }
      return Self(
        instance: instance,
        sequence: Int64(sequence),
        base: base.int().map { Int64($0) },
        age: Int64(max(age, 0)),
        clock: Int64(clock),
        changed: root["changed"].list { Workspace($0) }?.elements ?? [],
        removed: root["removed"].list { $0.string() }?.elements ?? [],
        omitted: max(root["omitted"].int() ?? 0, 0),
        isLast: root["last"].bool() ?? false
      )
    }.model
  }
}

/// The codes of problems with which a hub refuses a report.
package enum ReportProblem: String, Hashable, Sendable, CaseIterable {
  /// 409: the hub does not have the report that this one follows; a complete one is needed.
  case baseUnknown = "report_base_unknown"
  /// 409: the hub has a newer report of the same reporter.
  case outOfDate = "report_out_of_date"
  /// 409: another reporter has taken the machine's place since.
  case replaced = "reporter_replaced"
  /// 403: the token is that of another machine, or was revoked while the report came.
  case machineForbidden = "machine_forbidden"
  /// 413: the machine has more worktrees, or longer strings, than a hub keeps.
  case tooLarge = "report_too_large"
  /// 408: the report did not come in time.
  case tooSlow = "report_too_slow"
}
