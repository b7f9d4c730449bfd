import ConditionalHTTP
import HTTPTypes
import StrictJSON

/// The app's client of a socket: opens it, pings until a pong comes, says `ready`, and listens.
struct BooksTrackSocketClient: Sendable {
  /// How a job ended for the client.
  enum Ending: Hashable, Sendable {
    /// With a completion, which is the payload.
    case completed(JSONValue)
    /// With an error of the job.
    case failed(String)
  }

  /// What the client gives up with; its texts are the codes that the app shows.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// How often it connects before it gives up.
  private static let attempts = 3
  /// How often it pings before it gives up an attempt.
  private static let pings = 5
  /// How long it waits for a pong.
  private static let pongWait = Duration.seconds(2)
  /// How long it waits for anything before its watchdog ends the job.
  private static let watchdog = Duration.seconds(300)

  /// The query of its address: `jobId`, and `token` if it is there.
  var query: [(String, String?)]
  /// Header fields, such as the one with a token.
  var fields: HTTPFields = [:]
  /// The kind of job; messages of another kind are passed.
  var pipeline: String
  /// The types it decodes messages with.
  var generation: BooksTrackGeneration
  /// The message that announces that it listens; `nil` for a part of the app that never sends one.
  var ready: String? = #"{"type":"ready"}"#
  /// Whether it was here before and asks for the state of the job.
  var returns = false
  /// How long it takes between the pong and `ready`.
  var pause = Duration.zero

  /// Follows a job to its end.
  ///
  /// - Parameters:
  ///   - run: The server.
  ///   - check: Takes what the client would trip over.
  /// - Returns: How the job ended.
  /// - Throws: ``Failure`` once the client has given up.
  func follow(_ run: ClientRun, _ check: StepCheck) async throws -> Ending {
    var last = ""
    for attempt in 1...Self.attempts {
      do {
        return try await run.withSocket(request) { socket in
          try await connect(socket, run)
          return try await listen(socket, check)
        }
      } catch let failure as Failure {
        throw failure
      } catch {
        last = "\(error)"
        if attempt < Self.attempts { try await run.wait(.seconds(1 << attempt)) }
      }
    }
    throw Failure(description: "WEBSOCKET_CONNECTION_FAILED after 3 attempts: \(last)")
  }

  private var request: ClientRequest {
    let query = returns ? query + [("reconnect", "true")] : query
    return ClientRequest(.get, "/ws/progress", query: query, fields: fields, timeout: .seconds(60))
  }

  /// Pings until a pong comes; then the app takes the socket as open.
  private func connect(_ socket: ClientSocket, _ run: ClientRun) async throws {
    var number = 0
    while try await !socket.ping(within: Self.pongWait) {
      number += 1
      guard number < Self.pings else {
        throw WebSocketError(.timedOut, "no pong to \(Self.pings) pings")
      }
      try await run.wait(.milliseconds(100 * number))
    }
    try await run.wait(pause)
    if let ready { try await socket.send(ready) }
  }

  /// Opens the socket, waits for the first message of the job, and is gone: what an app does that its system puts away.
  ///
  /// - Parameters:
  ///   - run: The server.
  ///   - check: Takes what the client would trip over.
  /// - Throws: `WebSocketError`, ``Failure``.
  func leaveEarly(_ run: ClientRun, _ check: StepCheck) async throws {
    try await run.withSocket(request) { socket in
      try await connect(socket, run)
      while case .text(let text) = await socket.next(within: Self.watchdog) {
        guard let message = ClientAnswer(head: .init(status: .ok), body: Array(text.utf8)).value
        else { continue }
        check.shape(generation.message, of: message)
        guard message["type"]?.string != "ready_ack" else { continue }
        return await socket.close(1_001)
      }
      throw Failure(description: "no message of the job")
    }
  }

  private func listen(_ socket: ClientSocket, _ check: StepCheck) async throws -> Ending {
    var atReconnect: Double?
    while true {
      let text: String
      switch await socket.next(within: Self.watchdog) {
      case .text(let message): text = message
      case .binary(let bytes): text = String(decoding: bytes, as: UTF8.self)
      case .closed(let close):
        throw Failure(
          description: "WEBSOCKET_TRANSPORT_ERROR: closed with \(close.code) before the job ended"
        )
      case .silence: throw Failure(description: "no message for 300 s: the watchdog ends the job")
      }
      guard let message = ClientAnswer(head: .init(status: .ok), body: Array(text.utf8)).value
      else { throw Failure(description: "CLIENT_DECODING_ERROR: no JSON: \(text.prefix(80))") }
      let faults = generation.message.faults(in: message)
      guard faults.isEmpty else {
        for fault in faults { check.fault("CLIENT_DECODING_ERROR: \(fault)") }
        throw Failure(description: "the client disconnects at: \(text.prefix(120))")
      }
      guard message["pipeline"]?.string == pipeline, let payload = message["payload"] else {
        continue
      }
      switch message["type"]?.string {
      case "reconnected": atReconnect = payload["progress"]?.double ?? 0
      case "job_progress":
        let progress = payload["progress"]?.double ?? 0
        if let atReconnect, progress < atReconnect {
          check.fault("progress goes back from \(atReconnect) to \(progress)")
        }
      case "job_started" where atReconnect != nil:
        check.fault("the job begins again after reconnected")
      case "job_complete":
        check.expect(!returns || atReconnect != nil, "reconnected: expected before the end")
        judge(payload, check)
        await socket.close(1_001)
        return .completed(payload)
      case "error":
        await socket.close(1_001)
        return .failed(payload["message"]?.string ?? "")
      default: continue
      }
    }
  }

  /// Whether the client takes a completion for the kind that it is.
  ///
  /// A summary of the hotfix has no member that distinguishes the kinds: every kind counts as a scan.
  private func judge(_ payload: JSONValue, _ check: StepCheck) {
    guard generation == .full else { return }
    let taken = BooksTrackGeneration.trials.first {
      generation.completion(of: $0).faults(in: payload).isEmpty
    }
    check.expect(
      taken == pipeline,
      "a completion of \(pipeline) is taken for one of \(taken ?? "nothing")"
    )
  }
}

extension ClientAnswer {
  /// The content as JSON; `nil` if it is not valid JSON.
  var value: JSONValue? { try? json() }
}
