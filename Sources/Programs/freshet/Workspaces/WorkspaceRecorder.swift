import Commands
import ConditionalHTTP
import Foundation
import FreshnessRuntime
import HTTPTypes
import Synchronization
import Workspaces
import WorkspacesClient

/// Writes what a client of workspaces asks, gets and shows to a file, for `freshet-lab report workspaces`.
///
/// Beside the samples (``FreshnessRuntime/SampleRecord/line``) there are lines
/// `{"event":"wire",…}` with the bytes of each exchange and of each piece of a stream, and
/// `{"event":"shown",…}` with what is on the screen of each worktree whenever that is another.
final class WorkspaceRecorder: Sendable {
  private struct State {
    var file: RecordFile
    var shown: [String: Line] = [:]
    var failure: String?
  }

  private struct Line: Equatable {
    var state: String
    var todos: String
  }

  private let state: Mutex<State>

  /// Opens the file.
  ///
  /// - Throws: ``RecordFileError`` that names the file.
  init(_ path: String) throws {
    let file = try RecordFile(path)
    state = Mutex(State(file: file))
  }

  /// Why writing has failed; `nil` until then.
  var failure: String? { state.withLock { $0.failure } }

  /// Takes a request.
  func took(_ record: SampleRecord) { write(record.line) }

  /// Takes what is on the screen from now on.
  func show(_ list: WorkspaceList) {
    let now = Self.now
    let update = state.withLock { state in
      let before = state.shown
      state.shown = Dictionary(
        list.worktrees.map {
          ($0.path, Line(state: $0.activity.state.rawValue, todos: Self.todos($0)))
        },
        uniquingKeysWith: { first, _ in first }
      )
      return state.shown.filter { before[$0.key] != $0.value }
    }
    for (path, line) in update.sorted(by: { $0.key < $1.key }) {
      write([
        "event": "shown", "at": now, "worktree": path, "state": line.state, "todos": line.todos,
      ])
    }
  }

  /// Takes the bytes of an exchange, and whether they are a whole list.
  fileprivate func wire(sent: Int, head: Int, body: Int, isStream: Bool, isWhole: Bool = false) {
    var members: [String: Any] = [
      "event": "wire", "at": Self.now, "sent": sent, "head": head, "body": body, "stream": isStream,
    ]
    if isWhole { members["whole"] = true }
    write(members)
  }

  /// A letter for each entry, as `freshet-lab agent-sim` writes its ground truth.
  private static func todos(_ workspace: Workspace) -> String {
    String(workspace.todos.map { TodoLetter.letter(of: $0.status.rawValue) })
  }

  private static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

  private func write(_ members: [String: Any]) {
    let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? JSONSerialization.data(withJSONObject: members, options: options) else {
      return
    }
    write(String(decoding: data, as: UTF8.self))
  }

  private func write(_ line: String) {
    state.withLock { state in
      guard state.failure == nil else { return }
      do { try state.file.write(line) } catch { state.failure = "\(error)" }
    }
  }
}

/// A transport that reports the bytes on the wire to a recorder.
///
/// Heads are counted as HTTP/1.1 writes them; contents as they are handed over, after decompression.
struct CountedExchange<Transport: HTTPExchange & HTTPSending & HTTPStreaming>: HTTPExchange,
  HTTPSending, HTTPStreaming
{
  /// What sends.
  let transport: Transport
  /// The recorder.
  let recorder: WorkspaceRecorder

  func send(
    _ request: HTTPRequest,
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    let answer = try await transport.send(request, timeout: timeout)
    recorder.wire(
      sent: Self.size(request),
      head: Self.size(answer.head),
      body: answer.body.count,
      isStream: false,
      isWhole: Self.isWhole(request, answer)
    )
    return answer
  }

  func send(
    _ request: HTTPRequest,
    content: [UInt8],
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    let answer = try await transport.send(request, content: content, timeout: timeout)
    recorder.wire(
      sent: Self.size(request) + content.count,
      head: Self.size(answer.head),
      body: answer.body.count,
      isStream: false
    )
    return answer
  }

  func stream(
    _ request: HTTPRequest,
    timeout: Duration,
    receive: nonisolated(nonsending) @escaping @Sendable (HTTPStreamPart) async -> HTTPStreamDemand
  ) async throws(HTTPExchangeError) {
    let recorder = recorder
    let sent = Self.size(request)
    try await transport.stream(request, timeout: timeout) { part in
      switch part {
      case .head(let head):
        recorder.wire(sent: sent, head: Self.size(head), body: 0, isStream: true)
      case .content(let bytes):
        recorder.wire(sent: 0, head: 0, body: bytes.count, isStream: true)
      }
      return await receive(part)
    }
  }

  /// Whether an answer is a whole list: to a request without `since`, or to one whose revision is not known.
  private static func isWhole(_ request: HTTPRequest, _ answer: HTTPExchangeAnswer) -> Bool {
    guard request.method == .get, answer.head.status == .ok, let path = request.path else {
      return false
    }
    let parts = path.split(separator: "?", maxSplits: 1)
    guard parts.first?.hasSuffix("/v1/git/worktrees") == true else { return false }
    guard parts.count > 1, parts[1].contains("since=") else { return true }
    return String(decoding: answer.body.prefix(128), as: UTF8.self).contains("\"full\":true")
  }

  private static func size(_ request: HTTPRequest) -> Int {
    "\(request.method.rawValue) \(request.path ?? "/") HTTP/1.1\r\nHost: \(request.authority ?? "")\r\n\r\n"
      .utf8.count + size(request.headerFields)
  }

  private static func size(_ head: HTTPResponse) -> Int {
    "HTTP/1.1 \(head.status.code) \(head.status.reasonPhrase)\r\n\r\n".utf8.count
      + size(head.headerFields)
  }

  private static func size(_ fields: HTTPFields) -> Int {
    fields.reduce(0) { $0 + "\($1.name): \($1.value)\r\n".utf8.count }
  }
}
