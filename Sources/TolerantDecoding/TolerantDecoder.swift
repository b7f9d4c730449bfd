public import StrictJSON

/// Reads documents that others write, and that change without a word.
///
/// First the bytes become a ``JSONValue``, then the caller takes from it what it needs through
/// ``DecodeField``. Nothing unexpected ends the reading: what is absent is nothing, what is of another kind
/// is converted where that is safe and left out where it is not, and every deviation becomes a
/// ``DecodeIssue`` with its path. A strict reader, for tests and for the writer's own gates, does the same
/// and then refuses a document with an issue.
///
///     let decoder = TolerantDecoder()
///     let decoded = try decoder.decode(bytes) { root in
///       Book(title: root["title"].string() ?? "", pages: root["pages"].int(in: 0...100_000))
///     }
public struct TolerantDecoder: Sendable {
  /// What becomes of a document with issues.
  public enum Mode: Hashable, Sendable {
    /// It is used.
    case lenient
    /// It is refused if an issue is at least as grave.
    case strict(from: DecodeIssue.Severity)
  }

  /// What becomes of a document with issues.
  public var mode: Mode
  /// How much is read.
  public var limits: DecodeLimits

  /// Creates a decoder.
  public init(mode: Mode = .lenient, limits: DecodeLimits = DecodeLimits()) {
    self.mode = mode
    self.limits = limits
  }

  /// Reads a document.
  ///
  /// - Parameters:
  ///   - bytes: JSON in UTF-8; a byte order mark may stand before it.
  ///   - make: Makes the model of the root.
  /// - Returns: The model and the issues.
  /// - Throws: ``DecodeFailure`` if the bytes are no JSON within the limits, and in strict mode if an issue
  ///   is too grave.
  public func decode<Model>(
    _ bytes: [UInt8],
    _ make: (DecodeField) -> Model
  ) throws(DecodeFailure) -> Decoded<Model> {
    let log = DecodeLog(limits: limits)
    let reading: JSONReader.Reading
    do throws(JSONReader.Fault) {
      reading = try JSONReader.reading(of: bytes, rules: rules)
    } catch {
      throw DecodeFailure([
        DecodeIssue(
          path: "",
          kind: .notJSON,
          severity: .loss,
          message: "line \(error.line), column \(error.column): \(error.problem)"
        )
      ])
    }
    for name in reading.repeated {
      log.add(
        DecodeIssue(
          path: "",
          kind: .repeatedMember,
          severity: .warning,
          message: "the member \"\(name.prefix(limits.quoted))\" stands twice; the first counts"
        )
      )
    }
    if reading.repairs > 0 {
      log.add(
        DecodeIssue(
          path: "",
          kind: .repairedText,
          severity: .warning,
          message: "\(reading.repairs) damaged texts were repaired"
        )
      )
    }
    return try finish(make(DecodeField(root: reading.value, log: log)), reading.value, log)
  }

  /// Reads a value that was taken out of a document before.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - make: Makes the model of it.
  /// - Returns: The model and the issues.
  /// - Throws: ``DecodeFailure`` in strict mode if an issue is too grave.
  public func decode<Model>(
    value: JSONValue,
    _ make: (DecodeField) -> Model
  ) throws(DecodeFailure) -> Decoded<Model> {
    let log = DecodeLog(limits: limits)
    return try finish(make(DecodeField(root: value, log: log)), value, log)
  }

  private func finish<Model>(
    _ model: Model,
    _ value: JSONValue,
    _ log: DecodeLog
  ) throws(DecodeFailure) -> Decoded<Model> {
    if case .strict(let least) = mode {
      let grave = log.issues.filter { $0.severity >= least }
      if !grave.isEmpty { throw DecodeFailure(grave) }
    }
    return Decoded(
      model: model,
      value: value,
      issues: log.issues,
      issueCount: log.counts.reduce(0, +)
    )
  }

  private var rules: JSONReader.Rules {
    var rules = JSONReader.Rules.lenient
    rules.deepest = limits.depth
    rules.longest = limits.bytes
    rules.most = limits.values
    // Foundation's decoder keeps the first, and so do those who read with it.
    rules.repetition = .first
    return rules
  }
}

/// A model, the value it was made of, and what deviated.
public struct Decoded<Model> {
  /// The model.
  public var model: Model
  /// The whole document; what the model does not know is still in it.
  public var value: JSONValue
  /// What deviated, at most as many as the limits keep.
  public var issues: [DecodeIssue]
  /// How many deviations there were in all.
  public var issueCount: Int
}

extension Decoded: Sendable where Model: Sendable {}
