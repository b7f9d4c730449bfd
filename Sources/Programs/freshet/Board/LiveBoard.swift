import Commands
import Foundation
import Freshness
import FreshnessRuntime
import NIOTransport
import Stationboard
import StationboardClient
import TerminalText

/// A board that is shown until the user, a signal or a closed pipe ends it.
///
/// The engine keeps it fresh (R1 to R35); this type draws the engine's snapshots and passes keys
/// on. A failure never removes the board: it stays, its age grows, and the freshness line gives the
/// reason (R22, R27).
final class LiveBoard {
  /// An event of the loop.
  private enum Happening: Sendable {
    case snapshot(Int, LiveSnapshot<BoardCopy>)
    case recorded(SampleRecord)
    case terminal(TerminalSession.Happening)
    case found(String, [StopMatch], String?)
    case tick
  }

  /// How the board is shown.
  enum Form {
    /// On the full screen, with keys.
    case screen
    /// As lines, after each change.
    case plain
    /// As JSON Lines.
    case json
  }

  /// The delay before a search while the user types, in milliseconds (mesdeparts.md 4.1).
  private static let debounce = 180

  private let stops: BoardClient
  private let form: Form
  private let messages: BoardMessages
  private let recording: RecordFile?
  private let duration: Double?
  private let client: FreshnessClient
  private let happenings: AsyncStream<Happening>
  private let source: AsyncStream<Happening>.Continuation

  private var resource: BoardResource
  private var turn = 0
  private var observation: Task<Void, Never>?
  private var search: Task<Void, Never>?
  private var snapshot: LiveSnapshot<BoardCopy>?
  private var served: (text: String, time: Double, at: ContinuousClock.Instant)?
  private var screen: BoardScreen
  private var lines = BoardLines()
  private var drawn = ScreenDrawing()
  private var drawnColumns = 0
  private var printed = ""

  /// Creates a board.
  ///
  /// - Parameters:
  ///   - resource: The board.
  ///   - stops: Finds other stops.
  ///   - transport: Sends the requests and opens the streams.
  ///   - form: How it is shown.
  ///   - recording: Where each request is recorded.
  ///   - duration: The time after which it ends, in seconds.
  init(
    _ resource: BoardResource,
    stops: BoardClient,
    transport: NIOExchange,
    form: Form,
    recording: RecordFile?,
    duration: Double?
  ) {
    self.resource = resource
    self.stops = stops
    self.form = form
    self.recording = recording
    self.duration = duration
    messages = BoardMessages(resource.language)
    screen = BoardScreen(messages: messages)
    let (happenings, source) = AsyncStream.makeStream(
      of: Happening.self,
      bufferingPolicy: .bufferingNewest(4_096)
    )
    self.happenings = happenings
    self.source = source
    client = FreshnessClient(
      exchange: transport,
      streaming: transport,
      policy: resource.constants,
      recorder: { source.yield(.recorded($0)) }
    )
  }

  /// Shows the board until the end.
  ///
  /// - Returns: The reason for an early end, or `nil`.
  func run() async -> CommandFailure? {
    let source = source
    let session =
      form == .screen ? TerminalSession { source.yield(.terminal($0)) } : nil
    let signals = form == .screen ? nil : EndSignals { source.finish() }
    let limit = duration
    let helpers = [
      Task { while (try? await Task.sleep(for: .seconds(1))) != nil { source.yield(.tick) } },
      Task {
        guard let limit, (try? await Task.sleep(for: .seconds(limit))) != nil else { return }
        source.finish()
      },
    ]
    observe()
    let outcome = await follow()
    for helper in helpers { helper.cancel() }
    observation?.cancel()
    search?.cancel()
    session?.end()
    signals?.stop()
    return outcome
  }

  /// Observes the current stop; snapshots of another one are no longer delivered (R4).
  private func observe() {
    turn += 1
    snapshot = nil
    served = nil
    observation?.cancel()
    let (client, resource, source, turn) = (client, resource, source, turn)
    observation = Task {
      for await snapshot in client.snapshots(of: resource) {
        source.yield(.snapshot(turn, snapshot))
      }
    }
  }

  private func follow() async -> CommandFailure? {
    if form == .screen { draw() }
    for await happening in happenings {
      switch happening {
      case .recorded(let record):
        guard let recording else { continue }
        do { try recording.write(record.line) } catch { return Self.lost("\(error)") }
        continue
      case .snapshot(let number, let snapshot):
        guard number == turn else { continue }
        handle(snapshot)
      case .terminal(.ended): return nil
      case .terminal(.resized): drawn.forget()
      case .terminal(.input(let bytes)):
        guard press(bytes) else { return nil }
      case .found(let query, let stops, let problem):
        perform(screen.found(stops, for: query, problem: problem))
      case .tick: break
      }
      guard show(happening) else {
        let reason = errno
        // The reader is gone: a closed pipe is not an error. A full disk is.
        return reason == EPIPE
          ? nil : Self.lost("standard output: \(String(cString: strerror(reason)))")
      }
    }
    return nil
  }

  private static func lost(_ reason: String) -> CommandFailure {
    CommandFailure("freshet board: \(reason)", .inputOutput)
  }

  private func handle(_ new: LiveSnapshot<BoardCopy>) {
    snapshot = new
    guard let text = new.value?.board.meta.serverTime, text != served?.text,
      let time = BoardInstant.read(text)
    else { return }
    served = (text, Double(time.milliseconds) / 1_000, .now)
  }

  /// The server's current time: the board uses its day, not this device's (R27).
  private var now: Double {
    guard let served else { return Date().timeIntervalSince1970 }
    let passed = served.at.duration(to: .now).components
    return served.time + Double(passed.seconds) + Double(passed.attoseconds) / 1e18
  }

  // MARK: Keys

  private var keys = KeyReader()

  /// Handles typed bytes; `false` ends the board.
  private func press(_ bytes: [UInt8]) -> Bool {
    for key in keys.keys(bytes) {
      guard perform(screen.handle(key)) else { return false }
    }
    return true
  }

  /// Does what a key asked for; `false` ends the board.
  @discardableResult
  private func perform(_ action: BoardScreen.Action?) -> Bool {
    switch action {
    case nil: break
    case .quit: return false
    case .refresh:
      client.refresh(resource)
      drawn.forget()
    case .open(let stop):
      resource.stop = stop
      observe()
    case .search(let query): find(query)
    }
    return true
  }

  private func find(_ query: String) {
    search?.cancel()
    let language = resource.language
    let (stops, source) = (stops, source)
    search = Task { @concurrent in await LiveBoard.find(query, stops, language, source) }
  }

  @concurrent
  private static func find(
    _ query: String,
    _ stops: BoardClient,
    _ language: String?,
    _ source: AsyncStream<Happening>.Continuation
  ) async {
    guard (try? await Task.sleep(for: .milliseconds(debounce))) != nil else { return }
    do throws(StationboardFailure) {
      let found = try await stops.stops(matching: query, limit: 10, language: language)
      source.yield(.found(query, found, nil))
    } catch {
      source.yield(.found(query, [], error.description))
    }
  }

  // MARK: Showing

  private func show(_ happening: Happening) -> Bool {
    switch form {
    case .screen: return draw()
    case .plain:
      guard case .snapshot = happening else { return true }
      return printPlain()
    case .json:
      guard case .snapshot(_, let snapshot) = happening else { return true }
      let text = lines.text(snapshot, client.freshness(of: resource))
      return text.isEmpty || Terminal.write(text)
    }
  }

  /// Prints the board as lines, if it or the kind of its freshness changed.
  private func printPlain() -> Bool {
    guard let snapshot, snapshot.value != nil || snapshot.failure != nil else { return true }
    let size = Terminal.size
    let text = BoardText(columns: size.columns, colours: .none, messages: messages)
    let rows = snapshot.value.map { text.lines($0.board, at: now) } ?? []
    let kind =
      rows.dropFirst().joined() + "\(snapshot.label.marker)"
      + (snapshot.failure?.description ?? "")
    guard kind != printed else { return true }
    printed = kind
    let freshness = text.freshness(
      client.freshness(of: resource),
      of: snapshot.value?.board,
      failure: snapshot.failure
    )
    return Terminal.write((rows + ["", freshness, "", ""]).joined(separator: "\n"))
  }

  /// Draws only changed lines, so that nothing flickers, including over ssh.
  @discardableResult
  private func draw() -> Bool {
    let scene = BoardScreen.Scene(
      board: snapshot?.value?.board,
      freshness: client.freshness(of: resource),
      failure: snapshot?.failure,
      now: now
    )
    let size = Terminal.size
    // After a change of width, reported by a signal or not, the screen contents are not valid.
    if size.columns != drawnColumns { drawn.forget() }
    drawnColumns = size.columns
    let new = screen.lines(scene, size: size, colours: Terminal.colours)
    let text = drawn.update(new)
    return text.isEmpty || Terminal.write(text)
  }
}
