import ArgumentParser
import Commands
import ConditionalHTTP
import Freshness
import FreshnessRuntime
import HTTPTypes
import NIOTransport
import Serving
import Simulation
import StationboardClient
import Synchronization

/// `freshet-lab crowd`.
struct CrowdCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "crowd",
    abstract: "Ask a running server as many clients would, and measure its busiest second.",
    discussion: """
      Each client is the whole client of the library, with a refresh machine of its own, and obeys what the \
      server says of its next publication and of the spread after it. They begin one after the other, then \
      their requests are counted by the second. This is load: use it on a server of your own.

      The exit code is 0 if the busiest second has at most --most times the mean, 1 if it has more or too many \
      requests failed, and 64 if the options are wrong.

        freshet-lab crowd http://127.0.0.1:8080 --stop Parent8501120 --clients 1000
      """
  )

  /// The maximum number of clients of one run.
  private static let mostClients = 100_000
  /// The maximum share of failures among all requests, in percent.
  private static let mostFailures = 5

  @Argument(help: "The server, such as http://127.0.0.1:8080.")
  var server: String

  @Option(help: "The stop they watch.")
  var stop: String

  @Option(help: "How many clients.")
  var clients = 1_000

  @Option(
    help:
      "How often and how patiently: \(PresetName.allCases.map(\.rawValue).joined(separator: ", "))."
  )
  var preset = PresetName.departuresWeb

  @Option(help: "Over how many seconds they begin.")
  var ramp: Double = 15

  @Option(help: "How many seconds they run before requests count.")
  var settle = 60

  @Option(help: "For how many seconds requests count.")
  var seconds = 60

  @Option(help: "The most requests of the busiest second, in multiples of the mean.")
  var most: Double = 2

  @Option(
    help: ArgumentHelp(
      "The pace of the server's service clock; all seconds are its.",
      valueName: "times"
    )
  )
  var pace: Double = 1

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    guard (1...Self.mostClients).contains(clients) else {
      throw ValidationError("--clients is 1 to \(Self.mostClients)")
    }
    for (name, value) in [("settle", settle), ("seconds", seconds)]
    where !(1...86_400).contains(value) {
      throw ValidationError("--\(name) is 1 to 86400")
    }
    guard (0...3_600).contains(ramp) else { throw ValidationError("--ramp is 0 to 3600") }
    guard (1...1_000).contains(most) else { throw ValidationError("--most is 1 to 1000") }
    guard ServiceClock.paces.contains(pace) else {
      throw ValidationError("--pace is \(ClockOptions.paceRange)")
    }
    _ = try address()
  }

  private func address() throws -> HTTPAddress {
    do {
      return try HTTPAddress(server)
    } catch {
      throw ValidationError("\(server): \(error)")
    }
  }

  func run() async throws {
    let clock = HostClock(PacedClock(pace: pace))
    let counted = CrowdExchange(
      try NIOExchange(),
      clock: clock,
      from: Instant.Duration.seconds(Int64(settle)).milliseconds,
      seconds: seconds
    )
    var policy = preset.policy
    policy.push = nil
    // A short board: the measurement concerns when clients request, not what they read.
    let board = BoardResource(
      server: try address(),
      stop: stop,
      limit: 1,
      constants: policy,
      streams: false
    )
    let end = Instant(milliseconds: Int64(settle + seconds) * 1_000)
    let ramp = ramp
    let tasks = (0..<clients).map { _ in
      Task {
        let begin = Int64(Double.random(in: 0...1) * ramp * 1_000)
        await clock.sleep(Instant(milliseconds: begin))
        let client = FreshnessClient(exchange: counted, policy: board.constants, clock: clock)
        for await _ in client.snapshots(of: board) {}
      }
    }
    await clock.sleep(end)
    for task in tasks { task.cancel() }
    let (counter, failures) = counted.result
    guard Terminal.write(text(counter, failures)) else { throw ExitCode(.inputOutput) }
    let isAnswered = counter.total > 0 && failures * 100 <= counter.total * Self.mostFailures
    guard isAnswered, counter.ratio <= most else { throw ExitCode(.negative) }
  }

  private func text(_ counter: CrowdCounter, _ failures: Int) -> String {
    let mean = Self.tenths(counter.mean)
    let ratio = Self.hundredths(counter.ratio)
    guard json else {
      return "\(clients) clients, \(seconds) s: \(counter.total) requests, \(mean) a second,"
        + " \(counter.busiest) in the busiest: \(ratio) × the mean; \(failures) failed\n"
    }
    return "{\"clients\":\(clients),\"seconds\":\(seconds),\"requests\":\(counter.total),"
      + "\"mean\":\(mean),\"busiest\":\(counter.busiest),\"ratio\":\(ratio),\"failures\":\(failures),"
      + "\"perSecond\":\(counter.seconds)}\n"
  }

  private static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
  private static func hundredths(_ value: Double) -> Double { (value * 100).rounded() / 100 }
}

/// A transport that counts what is sent through it.
private final class CrowdExchange: HTTPExchange {
  private let exchange: NIOExchange
  private let clock: HostClock
  private let state: Mutex<(counter: CrowdCounter, failures: Int)>

  init(_ exchange: NIOExchange, clock: HostClock, from start: Int64, seconds: Int) {
    self.exchange = exchange
    self.clock = clock
    state = Mutex((CrowdCounter(from: start, seconds: seconds), 0))
  }

  var result: (CrowdCounter, failures: Int) { state.withLock { ($0.counter, $0.failures) } }

  func send(
    _ request: HTTPRequest,
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    let now = clock.now().milliseconds
    state.withLock { $0.counter.note(at: now) }
    do throws(HTTPExchangeError) {
      let answer = try await exchange.send(request, timeout: timeout)
      if answer.head.status.code >= 400 { state.withLock { $0.failures += 1 } }
      return answer
    } catch {
      if error.code != .cancelled { state.withLock { $0.failures += 1 } }
      throw error
    }
  }
}
