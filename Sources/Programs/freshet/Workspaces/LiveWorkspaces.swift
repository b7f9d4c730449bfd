import Commands
import ConditionalHTTP
import Foundation
import Freshness
import FreshnessRuntime
import TerminalText
import Workspaces
import WorkspacesClient
import WorkspacesTerminal

/// The worktrees on the whole terminal, until the person or a signal ends it.
///
/// The engine keeps the list fresh, once for everything on screen; ``WorkspaceScreen`` decides the layout and the
/// meaning of keys; this type carries out its requests. A failure never removes the list: its age grows, and the line
/// below says why (R22, R27).
final class LiveWorkspaces {
  /// The events of the loop.
  private enum Happening: Sendable {
    case list(LiveSnapshot<WorkspaceList>)
    case session(Int, LiveSnapshot<WorkspaceSession>)
    case diff(Int, LiveSnapshot<WorkspaceDiff>)
    case checked(String, Result<ConflictReport, WorkspaceFailure>)
    case made(WorkspaceChange, Result<String, WorkspaceFailure>)
    case restores(Result<[RestorePoint], WorkspaceFailure>)
    case terminal(TerminalSession.Happening)
    case tick
  }

  /// The details that are open beyond the list.
  private struct Details: Equatable {
    var session: String?
    var diff: String?
  }

  private let client: WorkspaceClient
  private let isMetered: Bool
  private let notifier: DesktopNotifier?
  private let duration: Double?
  private let happenings: AsyncStream<Happening>
  private let source: AsyncStream<Happening>.Continuation

  private var screen = WorkspaceScreen()
  private var snapshot: LiveSnapshot<WorkspaceList>?
  private var diffFailure: LiveFailure?
  private var notices = WorkspaceNotices()
  private var time = ServerTime()
  private var keys = KeyReader()
  private var drawn = ScreenDrawing()
  private var drawnColumns = 0
  private var details = Details()
  private var turn = 0
  private var watching: [Task<Void, Never>] = []
  private var rested: String?

  /// Creates the screen.
  ///
  /// - Parameters:
  ///   - client: The server.
  ///   - isMetered: Whether the network is metered.
  ///   - notifier: Sends desktop notifications; `nil` for none.
  ///   - duration: Seconds after which it ends.
  ///   - message: The first message.
  init(
    _ client: WorkspaceClient,
    isMetered: Bool,
    notifier: DesktopNotifier?,
    duration: Double?,
    message: String?
  ) {
    self.client = client
    self.isMetered = isMetered
    self.notifier = notifier
    self.duration = duration
    (happenings, source) = AsyncStream.makeStream(
      of: Happening.self,
      bufferingPolicy: .bufferingNewest(4_096)
    )
    if let message { screen.show(message, isProblem: false) }
  }

  /// Shows the worktrees until the end.
  func run() async {
    let (source, client, limit) = (source, client, duration)
    let session = TerminalSession { source.yield(.terminal($0)) }
    let helpers = [
      Task { while (try? await Task.sleep(for: .seconds(1))) != nil { source.yield(.tick) } },
      Task {
        guard let limit, (try? await Task.sleep(for: .seconds(limit))) != nil else { return }
        source.finish()
      },
      Task { for await snapshot in client.lists() { source.yield(.list(snapshot)) } },
    ]
    await follow()
    for task in helpers + watching { task.cancel() }
    session.end()
  }

  private func follow() async {
    draw()
    for await happening in happenings {
      switch happening {
      case .list(let snapshot): handle(snapshot)
      case .session(let number, let snapshot):
        guard number == turn else { continue }
        screen.handle(snapshot.value)
      case .diff(let number, let snapshot):
        guard number == turn else { continue }
        diffFailure = snapshot.failure
        screen.handle(snapshot.value, problem: snapshot.failure?.description)
      case .checked(let id, let result): screen.checked(id, result)
      case .made(let change, let result): made(change, result)
      case .restores(let result): screen.handle(result)
      case .terminal(.ended): return
      case .terminal(.resized): drawn.forget()
      case .terminal(.input(let bytes)):
        for key in keys.keys(bytes) {
          guard perform(screen.handle(key)) else { return }
        }
      case .tick: rest()
      }
      watchOpened()
      // The terminal is gone.
      guard draw() else { return }
    }
  }

  private func handle(_ new: LiveSnapshot<WorkspaceList>) {
    snapshot = new
    guard let list = new.value else { return }
    time.handle(list)
    let before = screen.current
    screen.handle(list)
    for notice in notices.notices(of: list, at: time.now) { notifier?.send(notice) }
    if let id = screen.opened, let now = screen.current, now != before { client.changed(id) }
  }

  // MARK: What keys ask for

  /// Does what a key asks for; `false` ends it.
  private func perform(_ action: WorkspaceScreen.Action?) -> Bool {
    let (client, source) = (client, source)
    switch action {
    case nil: break
    case .quit: return false
    case .refresh(let id):
      drawn.forget()
      client.refresh()
      if let opened = screen.opened { client.changed(opened) }
      if let id { make(.refresh(id)) }
    case .check(let check, let id):
      Task { @concurrent in
        do throws(WorkspaceFailure) {
          source.yield(.checked(id, .success(try await client.check(check, id))))
        } catch {
          source.yield(.checked(id, .failure(error)))
        }
      }
    case .make(let change): make(change)
    case .restorePoints:
      Task { @concurrent in
        do throws(WorkspaceFailure) {
          source.yield(.restores(.success(try await client.restorePoints())))
        } catch {
          source.yield(.restores(.failure(error)))
        }
      }
    }
    return true
  }

  private func make(_ change: WorkspaceChange) {
    let (client, source) = (client, source)
    Task { @concurrent in
      do throws(WorkspaceFailure) {
        source.yield(.made(change, .success(try await client.make(change))))
      } catch {
        source.yield(.made(change, .failure(error)))
      }
    }
  }

  private func made(_ change: WorkspaceChange, _ result: Result<String, WorkspaceFailure>) {
    // Only a failed scan is reported.
    if case .refresh = change, case .success = result { return }
    screen.made(change, result)
  }

  /// Watches what is open, and nothing else.
  private func watchOpened() {
    let wanted = Details(
      session: screen.opened,
      diff: screen.page == .diff ? screen.opened : nil
    )
    guard wanted != details else { return }
    details = wanted
    diffFailure = nil
    turn += 1
    for task in watching { task.cancel() }
    watching = []
    let (client, source, turn) = (client, source, turn)
    if let id = wanted.session {
      let session = client.freshness.snapshots(of: client.session(of: id))
      watching.append(
        Task { for await snapshot in session { source.yield(.session(turn, snapshot)) } }
      )
    }
    if let id = wanted.diff {
      let diff = client.freshness.snapshots(of: client.diff(of: id))
      watching.append(Task { for await snapshot in diff { source.yield(.diff(turn, snapshot)) } })
    }
  }

  /// The cursor has rested for a second: prefetches what is likely to be opened next.
  private func rest() {
    guard screen.page == .list, let selected = screen.selected else { return }
    defer { rested = selected }
    guard rested == selected, let list = screen.list else { return }
    client.prefetch(list.likelyNext(pointed: selected, order: screen.shown.map(\.id)))
  }

  // MARK: Showing

  @discardableResult
  private func draw() -> Bool {
    let size = Terminal.size
    // A diff has an age of its own.
    let diff = details.diff.flatMap { client.freshness.freshness(of: client.diff(of: $0)) }
    let scene = WorkspaceScreen.Scene(
      server: client.server.description,
      freshness: diff ?? client.report,
      failure: snapshot?.failure ?? diffFailure,
      isMetered: isMetered,
      now: time.now
    )
    let textStyle = TextStyle(columns: size.columns, colours: Terminal.colours)
    if size.columns != drawnColumns { drawn.forget() }
    drawnColumns = size.columns
    let text = drawn.update(screen.draw(scene, rows: size.rows, textStyle))
    return text.isEmpty || Terminal.write(text)
  }
}

/// The server's time, from what it wrote last: ages are those of its clock, not of this device's (R27).
struct ServerTime {
  private var written: (time: Double, at: ContinuousClock.Instant)?

  /// Takes a list.
  mutating func handle(_ list: WorkspaceList) {
    guard let time = list.writtenAt, time != written?.time else { return }
    written = (time, .now)
  }

  /// The time now, in seconds since 1970; this device's if the server states none.
  var now: Double {
    guard let written else { return Date().timeIntervalSince1970 }
    let passed = written.at.duration(to: .now).components
    return written.time + Double(passed.seconds) + Double(passed.attoseconds) / 1e18
  }
}
