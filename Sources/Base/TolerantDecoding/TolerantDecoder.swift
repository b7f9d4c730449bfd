public import StrictJSON

/// Decodes documents of other programs, which change without notice.
///
/// First the positions of all values are found, then the caller reads what it needs through
/// ``DecodeField``. Nothing unexpected ends the decoding: absent values are `nil`, values of
/// another kind are converted if that is safe and dropped if not, and every deviation becomes a
/// ``DecodeIssue`` with its path. A strict decoder, for tests and for the writer's own checks, does
/// the same and then rejects a document with issues.
///
///     let decoder = TolerantDecoder()
///     let decoded = try decoder.decode(bytes) { root in
///       Book(title: root["title"].string() ?? "", pages: root["pages"].int(in: 0...100_000))
///     }
public struct TolerantDecoder: Sendable {
  /// The handling of documents with issues.
  public enum Mode: Hashable, Sendable {
    /// The document is used.
    case lenient
    /// The document is rejected if an issue is at least this severe.
    case strict(from: DecodeIssue.Severity)
  }

  /// The handling of documents with issues.
  public var mode: Mode
  /// The limits.
  public var limits: DecodeLimits
  /// Whether members that the model is not made of are counted, and reported as notes.
  public var countsUnread: Bool

  /// Creates a decoder.
  public init(
    mode: Mode = .lenient,
    limits: DecodeLimits = DecodeLimits(),
    countsUnread: Bool = false
  ) {
    self.mode = mode
    self.limits = limits
    self.countsUnread = countsUnread
  }

  /// Decodes a document.
  ///
  /// - Parameters:
  ///   - bytes: JSON in UTF-8; a byte order mark is allowed.
  ///   - make: Creates the model of the root.
  /// - Returns: The model and the issues.
  /// - Throws: ``DecodeFailure`` if the bytes are not valid JSON within the limits, and in strict
  ///   mode if an issue is too severe.
  public func decode<Model>(
    _ bytes: [UInt8],
    _ make: (DecodeField) -> Model
  ) throws(DecodeFailure) -> Decoded<Model> {
    let document = try document(bytes)
    let log = DecodeLog(document, root: 0, limits: limits, countsUnread: countsUnread)
    for name in document.repeated {
      log.add(
        DecodeIssue(
          path: "",
          kind: .repeatedMember,
          severity: .warning,
          message: "the member \"\(name.prefix(limits.quoted))\" appears twice; the first counts"
        )
      )
    }
    if document.repairs > 0 {
      log.add(
        DecodeIssue(
          path: "",
          kind: .repairedText,
          severity: .warning,
          message: "\(document.repairs) damaged texts were repaired"
        )
      )
    }
    return try finish(make(DecodeField(0, log)), log)
  }

  /// Decodes a value that was taken out of a document before.
  ///
  /// - Parameters:
  ///   - value: The value; one that came from a document is not parsed again.
  ///   - make: Creates the model.
  /// - Returns: The model and the issues.
  /// - Throws: ``DecodeFailure`` in strict mode if an issue is too severe, and for a value beyond
  ///   the limits.
  public func decode<Model>(
    _ value: RawJSON,
    _ make: (DecodeField) -> Model
  ) throws(DecodeFailure) -> Decoded<Model> {
    let log: DecodeLog
    if let (document, place) = value.place {
      log = DecodeLog(document, root: place, limits: limits, countsUnread: countsUnread)
    } else {
      log = DecodeLog(
        try document(value.value.bytes),
        root: 0,
        limits: limits,
        countsUnread: countsUnread
      )
    }
    return try finish(make(DecodeField(log.root, log)), log)
  }

  private func document(_ bytes: [UInt8]) throws(DecodeFailure) -> JSONDocument {
    do throws(JSONReader.Fault) {
      return try JSONReader.document(of: bytes, rules: rules)
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
  }

  private func finish<Model>(
    _ model: Model,
    _ log: DecodeLog
  ) throws(DecodeFailure) -> Decoded<Model> {
    let unread = log.addUnread()
    if case .strict(let least) = mode {
      let grave = log.issues.filter { $0.severity >= least }
      if !grave.isEmpty { throw DecodeFailure(grave) }
    }
    return Decoded(
      model: model,
      raw: RawJSON(log.document, at: log.root),
      issues: log.issues,
      issueCount: log.counts.reduce(0, +),
      unread: unread.paths,
      unreadCount: unread.count
    )
  }

  private var rules: JSONReader.Rules {
    var rules = JSONReader.Rules.lenient
    rules.deepest = limits.depth
    rules.longest = limits.bytes
    rules.most = limits.values
    // Foundation's decoder keeps the first, and so do programs that use it.
    rules.repetition = .first
    return rules
  }
}

/// A model, the value it was created from, and the deviations.
public struct Decoded<Model> {
  /// The model.
  public var model: Model
  /// The whole document, including what the model does not know.
  public var raw: RawJSON
  /// The deviations, up to the limit.
  public var issues: [DecodeIssue]
  /// The total number of deviations.
  public var issueCount: Int
  /// The paths of members that the model was not made of, at most as many as the limit of issues; empty unless
  /// ``TolerantDecoder/countsUnread``.
  public var unread: [String] = []
  /// How many such members there are in all; 0 unless ``TolerantDecoder/countsUnread``.
  public var unreadCount = 0

  /// Puts a reading together.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - raw: The whole document.
  ///   - issues: What deviated.
  ///   - issueCount: How many deviations there were in all.
  ///   - unread: The paths of members that the model was not made of.
  ///   - unreadCount: How many such members there are in all.
  public init(
    model: Model,
    raw: RawJSON,
    issues: [DecodeIssue],
    issueCount: Int,
    unread: [String] = [],
    unreadCount: Int = 0
  ) {
    self.model = model
    self.raw = raw
    self.issues = issues
    self.issueCount = issueCount
    self.unread = unread
    self.unreadCount = unreadCount
  }
}

extension Decoded: Sendable where Model: Sendable {}
