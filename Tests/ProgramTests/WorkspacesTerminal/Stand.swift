import Freshness
import FreshnessRuntime
import TerminalText
import Workspaces
import WorkspacesClient

@testable import WorkspacesTerminal

/// Worktrees and scenes by hand.
enum Stand {
  /// The server's time: 2026-11-24T07:00:00Z.
  static let now = 1_795_503_600.0

  static func worktree(
    _ name: String,
    _ state: AgentActivity.State = .unknown,
    since: String? = "2026-11-24T06:59:00.000Z"
  ) -> Workspace {
    var it = Workspace(
      id: "id-\(name)",
      repoId: "local/shop",
      name: "shop/\(name)",
      path: "/code/\(name)",
      branch: name
    )
    it.sourceBranch = "main"
    it.activity = AgentActivity(
      state: state,
      source: "claude_log",
      since: state == .unknown ? nil : since
    )
    return it
  }

  static func list(_ worktrees: Workspace...) -> WorkspaceList {
    WorkspaceList(revision: "g-1", worktrees: worktrees)
  }

  /// A screen that shows worktrees.
  static func screen(_ worktrees: Workspace...) -> WorkspaceScreen {
    var screen = WorkspaceScreen()
    screen.handle(WorkspaceList(revision: "g-1", worktrees: worktrees))
    return screen
  }

  static func report(_ age: Int64 = 3, isStreaming: Bool = false) -> FreshnessReport {
    let label = FreshnessLabel(
      metadata: FreshnessMetadata(),
      age: nil,
      isKept: false,
      policy: .workspaces
    )
    var report = FreshnessReport(once: label)
    report.verifiedAgo = .seconds(age)
    report.changedAgo = .seconds(age)
    report.isStreaming = isStreaming
    report.nextActionIn = .milliseconds(1_400)
    return report
  }

  static func scene(
    _ report: FreshnessReport? = report(),
    failure: String? = nil
  )
    -> WorkspaceScreen.Scene
  {
    WorkspaceScreen.Scene(
      server: "http://127.0.0.1:8080",
      freshness: report,
      failure: failure.map {
        LiveFailure(
          kind: .unreachable,
          status: nil,
          since: Instant(milliseconds: 0),
          problem: nil,
          description: $0
        )
      },
      now: now
    )
  }

  /// The screen as text, without styles.
  static func drawn(
    _ screen: inout WorkspaceScreen,
    _ columns: Int = 100,
    _ rows: Int = 24,
    scene: WorkspaceScreen.Scene = scene()
  ) -> [String] {
    screen.draw(scene, rows: rows, TextStyle(columns: columns, colours: .none))
  }

  /// A line without its styles.
  static func unpainted(_ line: String) -> String {
    var text = ""
    var rest = line[...]
    while let start = rest.firstRange(of: "\u{1B}[") {
      text += rest[..<start.lowerBound]
      let style = rest[start.upperBound...]
      guard let end = style.firstIndex(of: "m"),
        style[..<end].allSatisfy({ $0.isNumber || $0 == ";" })
      else { return text + rest[start.lowerBound...] }
      rest = style[style.index(after: end)...]
    }
    return text + rest
  }
}

extension WorkspaceScreen {
  mutating func press(_ keys: String) {
    for key in keys { _ = handle(.character(key)) }
  }
}
