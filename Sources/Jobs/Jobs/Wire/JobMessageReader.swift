public import StrictJSON
public import TolerantDecoding

/// Reads messages of every version in circulation into one model.
///
/// In steps: bytes become a JSON value, then an envelope of which only `type` is needed, then the payload
/// by type and pipeline, and never by trial. In lenient mode no message makes it fail.
public struct JobMessageReader: Sendable {
  private let decoder: TolerantDecoder

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - mode: Lenient for clients, strict for tests and gates.
  ///   - limits: How much of a message is read.
  public init(
    mode: TolerantDecoder.Mode = .lenient,
    limits: DecodeLimits = DecodeLimits()
  ) {
    decoder = TolerantDecoder(mode: mode, limits: limits)
  }

  /// Reads a message.
  ///
  /// - Parameter bytes: JSON in UTF-8.
  /// - Returns: The message; ``JobMessage/Body/unreadable`` for bytes that are not a message.
  public func message(_ bytes: [UInt8]) -> JobMessage {
    do throws(DecodeFailure) {
      return try strictMessage(bytes)
    } catch {
      return JobMessage(type: "", body: .unreadable, issues: error.issues, raw: .null)
    }
  }

  /// Reads a message that was taken out of a document before.
  ///
  /// - Parameter value: The message.
  /// - Returns: The message, as from its bytes.
  public func message(of value: RawJSON) -> JobMessage {
    do throws(DecodeFailure) {
      let decoded = try decoder.decode(value) { Self.message($0) }
      var message = decoded.model
      message.issues = decoded.issues
      message.source = value
      return message
    } catch {
      var message = JobMessage(type: "", body: .unreadable, issues: error.issues)
      message.source = value
      return message
    }
  }

  /// Reads a message, and rejects what the mode rejects.
  ///
  /// - Parameter bytes: JSON in UTF-8.
  /// - Returns: The message.
  /// - Throws: `DecodeFailure` for bytes that are not JSON, and for issues that the mode does not tolerate.
  public func strictMessage(_ bytes: [UInt8]) throws(DecodeFailure) -> JobMessage {
    let decoded = try decoder.decode(bytes) { Self.message($0) }
    var message = decoded.model
    message.issues = decoded.issues
    message.source = decoded.raw
    return message
  }

  private static func message(_ root: DecodeField) -> JobMessage {
    guard root.isObject() else {
      if !root.isPresent { root.report(.missing, .loss, "null is not a message") }
      return JobMessage(type: "", body: .unreadable)
    }
    let payload = self.payload(root)
    let typeField = root["type"]
    let type: String
    if typeField.isText, let text = typeField.string() {
      type = text
    } else if let text = payload["type"].string() {
      typeField.report(.missing, .warning, "the payload says the type instead")
      type = text
    } else if payload["summary"].isPresent {
      typeField.report(.missing, .warning, "a message with a summary is taken as a completion")
      type = "job_complete"
    } else {
      typeField.report(.missing, .loss, "a message needs a type")
      type = ""
    }
    var message = JobMessage(type: type, body: .unreadable)
    message.job = root[Names.jobId].string() ?? payload[Names.jobId].string()
    message.pipeline = pipeline(root) ?? pipeline(payload)
    message.at = root["timestamp"].instant() ?? payload["timestamp"].instant()
    message.version = root["version"].string()
    message.epoch = root["epoch"].int(in: 0 ... .max).map { Int64($0) }
    message.covers = root["covers"].int(in: 0 ... .max).map { Int64($0) }
    if let seq = root["seq"].int(in: 0 ... .max) {
      message.position = EventPosition(epoch: message.epoch ?? 0, seq: Int64(seq))
    }
    if !type.isEmpty { message.body = body(type, root, payload, message) }
    return message
  }

  /// The payload: under its name, under its older one, or the message itself.
  private static func payload(_ root: DecodeField) -> DecodeField {
    let payload = root[Names.payload]
    return payload.isPresent ? payload : root
  }

  private static func pipeline(_ field: DecodeField) -> PipelineName? {
    let field = field["pipeline"]
    guard let text = field.string(), !text.isEmpty else { return nil }
    if let known = PipelineName.known.first(where: { $0.rawValue == text }) { return known }
    if text == "unknown" { return nil }
    let folded = text.lowercased().replacing("-", with: "_")
    if let known = PipelineName.known.first(where: { $0.rawValue == folded }) { return known }
    field.report(.unknownValue, .note, "\"\(text.prefix(60))\" is not a known pipeline")
    return PipelineName(rawValue: text)
  }

  /// Today's names, by today's and older ones.
  private static let types = [
    "job_started": "job_started", "started": "job_started", "initialized": "job_started",
    "processing": "job_progress",
    "job_progress": "job_progress", "progress": "job_progress", "update": "job_progress",
    "job_complete": "job_complete", "job_completed": "job_complete", "complete": "job_complete",
    "completed": "job_complete", "batch-complete": "job_complete",
    "error": "error", "job_failed": "error", "failed": "error", "job_error": "error",
    "job_canceled": "job_canceled", "job_cancelled": "job_canceled", "canceled": "job_canceled",
    "cancelled": "job_canceled", "reconnected": "reconnected", "snapshot": "reconnected",
    "ready_ack": "ready_ack", "batch-init": "photos", "batch-progress": "photos",
    "batch-canceling": "canceling", "job_canceling": "canceling", "ping": "ping", "pong": "pong",
    "heartbeat": "ping", "notice": "notice", "token_refreshed": "token",
  ]

  private static func body(
    _ type: String,
    _ root: DecodeField,
    _ payload: DecodeField,
    _ message: JobMessage
  ) -> JobMessage.Body {
    let name = types[type] ?? types[type.lowercased()]
    if let name, name != type, !["photos", "canceling", "token"].contains(name),
      type != "batch-complete"
    {
      root["type"].report(.alias, .note, "today's name of this is \"\(name)\"")
    }
    switch name {
    case "job_started": return .started(JobStartReader.start(payload))
    case "job_progress": return .progress(JobProgressReader.progress(payload))
    case "job_complete":
      return .ended(JobCompletionReader.completion(payload, pipeline: message.pipeline))
    case "job_canceled":
      var completion = JobCompletionReader.completion(payload, pipeline: message.pipeline)
      completion.ending = .known(.canceled)
      completion.isPartial = true
      return .ended(completion)
    case "error": return .ended(JobCompletionReader.failure(payload, root: root))
    case "reconnected": return .snapshot(JobProgressReader.report(payload))
    case "ready_ack": return .ready
    case "photos": return .photos(JobProgressReader.photos(payload))
    case "canceling": return .canceling
    case "ping": return .ping
    case "pong": return .pong
    case "notice":
      return .notice(
        JobWireError.read(payload) ?? JobWireError(code: JobWireError.unknownCode, message: "")
      )
    case "token":
      guard let token = payload[Names.token].string() else {
        payload["token"].report(.missing, .loss, "a new token is announced and missing")
        return .unknown
      }
      return .token(token, expiresAt: payload[Names.expiresAt].instant())
    default:
      root["type"].report(
        .unknownValue,
        .note,
        "\"\(type.prefix(60))\" is not a known type"
      )
      return .unknown
    }
  }
}

/// Names of members, made once.
private enum Names {
  static let expiresAt: MemberName = ["expiresAt", "expires_at"]
  static let jobId: MemberName = ["jobId", "job_id"]
  static let payload: MemberName = ["payload", "data"]
  static let token: MemberName = ["token", "authToken", "newToken"]
}
