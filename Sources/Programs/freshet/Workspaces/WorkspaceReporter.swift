import Commands
import ConditionalHTTP
import Foundation
import Freshness
import FreshnessRuntime
import HTTPTypes
import Workspaces
import WorkspacesClient

/// Passes on what a server says of this machine's worktrees to a hub, until it is stopped.
///
/// ``WorkspacesClient/ReportMachine`` decides what is sent when; this type does it.
struct WorkspaceReporter: Sendable {
  /// This machine's server.
  let client: WorkspaceClient
  /// The hub.
  let hub: HTTPAddress
  /// The name of this machine.
  let name: String
  /// The token of this machine at the hub.
  let token: String
  let transport: any HTTPSending
  /// Seconds after which it ends.
  let duration: Double?

  private let start = ContinuousClock.now

  /// Creates a reporter.
  init(
    client: WorkspaceClient,
    hub: HTTPAddress,
    name: String,
    token: String,
    transport: any HTTPSending,
    duration: Double?
  ) {
    self.client = client
    self.hub = hub
    self.name = name
    self.token = token
    self.transport = transport
    self.duration = duration
  }

  /// Reports until a signal, or until the hub refuses.
  ///
  /// - Returns: Why the hub refuses; `nil` if it was stopped.
  func run() async -> String? {
    let (events, source) = AsyncStream.makeStream(of: ReportMachine.Event.self)
    let end: @Sendable () -> Void = {
      source.yield(.ends)
      Task {
        try? await Task.sleep(for: .seconds(ReportLimits.lastReportSeconds))
        source.finish()
      }
    }
    let signals = EndSignals(end)
    let (client, duration) = (client, duration)
    let helpers = [
      Task {
        var said: String?
        for await snapshot in client.lists() {
          if let list = snapshot.value { source.yield(.listed(list.worktrees)) }
          let failure = snapshot.failure?.description
          if let failure, failure != said { Self.complain("\(client.server): \(failure)") }
          said = failure
        }
      },
      // Also while it waits for a hub, it checks whether the server's stream is open.
      Task {
        while (try? await Task.sleep(for: .seconds(ReportLimits.heartbeat))) != nil {
          source.yield(.woke)
        }
      },
      Task {
        guard let duration, (try? await Task.sleep(for: .seconds(duration))) != nil else { return }
        end()
      },
    ]
    let refusal = await follow(events, source)
    for helper in helpers { helper.cancel() }
    signals.stop()
    return refusal
  }

  private func follow(
    _ events: AsyncStream<ReportMachine.Event>,
    _ source: AsyncStream<ReportMachine.Event>.Continuation
  ) async -> String? {
    var machine = ReportMachine(run: Self.newRun())
    var alarm: Task<Void, Never>?
    var stream = StreamScan()
    defer { alarm?.cancel() }
    for await event in events {
      for order in machine.handle(event, now(&stream)) {
        switch order {
        case .send(let report):
          Task { @concurrent in source.yield(await send(report)) }
        case .wake(let time):
          alarm?.cancel()
          let wait = max(time - self.time, 0)
          alarm = Task {
            guard (try? await Task.sleep(for: .seconds(wait), clock: .continuous)) != nil else {
              return
            }
            source.yield(.woke)
          }
        case .log(let text): log(text)
        case .stop(let refusal): return refusal
        }
      }
    }
    return nil
  }

  private static func newRun() -> String {
    String(UInt64.random(in: .min ... .max), radix: 16)
      + String(UInt64.random(in: .min ... .max), radix: 16)
  }

  /// Seconds since the start, by a clock that counts sleep.
  private var time: Double {
    let passed = start.duration(to: .now).components
    return Double(passed.seconds) + Double(passed.attoseconds) / 1e18
  }

  /// When a scan last found the server's stream open: as long as its heartbeats arrive, it reports every change.
  private struct StreamScan {
    var openAt: Double?
    var scannedAt: Double?

    /// Takes what is known of the stream at an instant.
    mutating func scan(_ isOpen: Bool, at time: Double) {
      // After a pause of the process, it is unknown whether the stream still is open.
      let wasPaused = scannedAt.map { time - $0 > 2 * ReportLimits.heartbeat } ?? false
      if isOpen, !wasPaused { openAt = time }
      scannedAt = time
    }
  }

  /// What the machine needs to know with an event.
  private func now(_ stream: inout StreamScan) -> ReportMachine.Now {
    let (report, time) = (client.report, time)
    stream.scan(report?.isStreaming == true, at: time)
    let verified = report?.verifiedAgo.map { Double($0.milliseconds) / 1_000 }
    let ages = [verified, stream.openAt.map { time - $0 }].compactMap(\.self)
    return ReportMachine.Now(
      time: time,
      sourceAge: ages.min() ?? 0,
      wall: Int64(Date().timeIntervalSince1970 * 1_000),
      random: RandomSample(bits: UInt32.random(in: .min ... .max))
    )
  }

  private func log(_ text: String) {
    if text == ReportMachine.success {
      Terminal.announce("Reporting to \(hub) as \(name)\n")
    } else {
      Self.complain("\(hub): \(text)")
    }
  }

  private static func complain(_ text: String) {
    Terminal.complain("freshet workspaces report: \(Terminal.plain(text))\n")
  }

  /// Sends a report.
  ///
  /// - Returns: What came of it.
  private func send(_ report: WorkspaceReport) async -> ReportMachine.Event {
    guard let content = try? JSONEncoder().encode(report) else {
      return .unanswered("the report cannot be written")
    }
    let request = hub.request(
      "/v1/machines/\(HTTPAddress.encoded(name))/report",
      method: .post,
      fields: [
        .authorization: "Bearer \(token)", .contentType: "application/json",
        .accept: "application/json",
      ]
    )
    let answer: HTTPExchangeAnswer
    do {
      answer = try await transport.send(
        request,
        content: Array(content),
        timeout: .seconds(ReportLimits.timeout)
      )
    } catch {
      return .unanswered(error.description)
    }
    let problem = try? JSONDecoder().decode(ProblemDetails.self, from: Data(answer.body))
    let wait = RetryAfter.delay(
      in: answer.head.headerFields,
      now: Int64(Date().timeIntervalSince1970 * 1_000),
      limit: Int64(ReportLimits.longestRetryAfter * 1_000)
    )
    return .answered(
      status: Int(answer.head.status.code),
      code: problem?.error,
      detail: problem?.detail,
      retryAfter: wait.map { Double($0) / 1_000 }
    )
  }
}
