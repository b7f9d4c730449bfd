import BookScan
import Foundation
import Subprocess
import WorkspacesClient

/// Sends desktop notifications over the session bus (Desktop Notifications Specification 1.2).
///
/// `gdbus` or else `notify-send` talks to the bus; neither is started through a shell. Notices are sent one after
/// another, old ones are dropped, and a desktop that does not respond delays nothing else.
final class DesktopNotifier: Sendable {
  /// How long a tool may take, in seconds.
  private static let timeout = 5.0
  /// The most notices that wait.
  private static let waiting = 16
  /// The most notifications whose number is remembered, so that a newer one of the same worktree takes its place.
  private static let remembered = 256
  /// The most bytes of a tool's answer.
  private static let answerBytes = 64 << 10

  private enum Tool: String, CaseIterable {
    case gdbus
    case notifySend = "notify-send"
  }

  private let source: AsyncStream<WorkspaceNotices.Notice>.Continuation
  private let sending: Task<Void, Never>

  /// Finds the session bus and a tool; `nil` if either is missing.
  ///
  /// - Parameter environment: The environment: `DBUS_SESSION_BUS_ADDRESS`, else `$XDG_RUNTIME_DIR/bus`, and `PATH`.
  init?(_ environment: [String: String]) {
    guard let address = Self.address(environment), let tool = Self.tool(environment) else {
      return nil
    }
    var variables: [Environment.Key: String] = [
      // Texts are UTF-8, whatever the person's language is.
      "DBUS_SESSION_BUS_ADDRESS": address, "LC_ALL": "C.UTF-8",
    ]
    for name in ["PATH", "HOME", "XDG_RUNTIME_DIR"] {
      if let key = Environment.Key(rawValue: name) { variables[key] = environment[name] }
    }
    let (stream, source) = AsyncStream.makeStream(
      of: WorkspaceNotices.Notice.self,
      bufferingPolicy: .bufferingNewest(Self.waiting)
    )
    self.source = source
    let speaker = Speaker(tool: tool, environment: variables)
    sending = Task {
      for await notice in stream { await speaker.say(notice) }
    }
  }

  deinit {
    source.finish()
    sending.cancel()
  }

  /// Sends a notice when those before it are sent.
  func send(_ notice: WorkspaceNotices.Notice) { source.yield(notice) }

  /// Waits until all notices are sent, for at most the time limit of one tool.
  func finish() async {
    source.finish()
    let sending = sending
    _ = await Self.inTime {
      await sending.value
      return ""
    }
  }

  private static func address(_ environment: [String: String]) -> String? {
    if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return address }
    guard let folder = environment["XDG_RUNTIME_DIR"], !folder.isEmpty else { return nil }
    let path = folder + "/bus"
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    // The characters that an address may have as they are (D-Bus Specification, "Server Addresses").
    let plain = CharacterSet(charactersIn: "-_/.\\*").union(.alphanumerics)
    return path.addingPercentEncoding(withAllowedCharacters: plain).map { "unix:path=\($0)" }
  }

  private static func tool(_ environment: [String: String]) -> Tool? {
    let folders = (environment["PATH"] ?? "").split(separator: ":")
    return Tool.allCases.first { tool in
      folders.contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/\(tool.rawValue)")
      }
    }
  }

  /// Returns the result of work, or `nil` if it takes longer than the time limit of a tool.
  private static func inTime(_ work: @escaping @Sendable () async -> String?) async -> String? {
    await withTaskGroup(of: String?.self) { group in
      group.addTask { await work() }
      group.addTask {
        try? await Task.sleep(for: .seconds(timeout))
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }

  // MARK: Speaking

  /// Sends notices to the bus through a tool, one after another.
  private actor Speaker {
    private let tool: Tool
    private let environment: [Environment.Key: String]
    /// Whether texts are markup; `nil` until the desktop has answered.
    private var isMarkup: Bool?
    private var numbers: [(id: String, number: UInt32)] = []

    init(tool: Tool, environment: [Environment.Key: String]) {
      self.tool = tool
      self.environment = environment
    }

    func say(_ notice: WorkspaceNotices.Notice) async {
      switch tool {
      case .gdbus: await call(notice)
      case .notifySend:
        let icon = "--icon=\(Self.icon(notice.kind))"
        // It does not report whether texts are markup; if they are not, this looks slightly worse.
        _ = await run(
          ["--app-name=freshet", icon, "--", notice.title, Self.escaped(notice.text)]
        )
      }
    }

    private func call(_ notice: WorkspaceNotices.Notice) async {
      if isMarkup == nil {
        guard let answer = await run(Self.calling("GetCapabilities", [])) else { return }
        isMarkup = answer.contains("'body-markup'")
      }
      let place = numbers.firstIndex { $0.id == notice.id }
      let text = isMarkup == true ? Self.escaped(notice.text) : notice.text
      let arguments = [
        Self.quoted("freshet"), "uint32 \(place.map { numbers[$0].number } ?? 0)",
        Self.quoted(Self.icon(notice.kind)), Self.quoted(notice.title), Self.quoted(text), "@as []",
        "{\"urgency\": <byte 1>}", "int32 -1",
      ]
      guard let answer = await run(Self.calling("Notify", arguments)), let id = notice.id else {
        return
      }
      let digits = answer.drop { $0 != " " }.dropFirst().prefix { $0.isNumber }
      guard let number = UInt32(digits) else { return }
      if let place { numbers.remove(at: place) }
      numbers.append((id, number))
      if numbers.count > remembered { numbers.removeFirst() }
    }

    private static func calling(_ method: String, _ arguments: [String]) -> [String] {
      [
        "call", "--session", "--timeout", "\(Int(timeout))", "--dest",
        "org.freedesktop.Notifications", "--object-path", "/org/freedesktop/Notifications",
        "--method", "org.freedesktop.Notifications.\(method)",
      ] + arguments
    }

    /// A text as GVariant writes it.
    private static func quoted(_ text: String) -> String {
      let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      return "\"\(escaped)\""
    }

    /// A text as markup of itself.
    private static func escaped(_ text: String) -> String {
      text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    /// The name of an icon (Icon Naming Specification).
    private static func icon(_ kind: WorkspaceNotices.Notice.Kind) -> String {
      kind == .needsYou ? "dialog-question" : "dialog-information"
    }

    /// Runs the tool and returns its output; `nil` if it fails or takes too long.
    private func run(_ arguments: [String]) async -> String? {
      let (tool, environment) = (tool.rawValue, environment)
      return await inTime { await Self.output(tool, arguments, environment) }
    }

    @concurrent
    private static func output(
      _ tool: String,
      _ arguments: [String],
      _ environment: [Environment.Key: String]
    ) async -> String? {
      guard SpareDescriptors.areThere() else { return nil }
      let result = try? await Subprocess.run(
        .name(tool),
        arguments: Arguments(arguments),
        environment: .custom(environment),
        input: .none,
        output: .bytes(limit: answerBytes),
        error: .discarded
      )
      guard let result, case .exited(0) = result.terminationStatus else { return nil }
      return String(decoding: result.standardOutput, as: UTF8.self)
    }
  }
}
