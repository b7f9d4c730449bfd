import Commands
import Foundation

/// The programs that a demonstration starts, and their environment.
struct DemoPrograms: Sendable {
  /// The path of freshet.
  let freshet: String
  /// The path of this program.
  let laboratory: String
  /// The path of git.
  let git: String
  /// What they have in their environment: nothing that is meant for servers and agents of this user.
  let environment: [String: String]

  /// Finds the programs.
  ///
  /// - Parameter freshet: The path of freshet; `nil` to look beside this program and in `PATH`.
  /// - Throws: ``CommandFailure`` if one is missing.
  init(freshet: String?) throws {
    let environment = ProcessInfo.processInfo.environment
    let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
    func find(_ name: String, _ first: [String] = []) -> String? {
      (first + folders.filter { $0.hasPrefix("/") }).map { "\($0)/\(name)" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
    laboratory = Bundle.main.executablePath ?? CommandLine.arguments[0]
    let own = URL(filePath: laboratory).resolvingSymlinksInPath().deletingLastPathComponent().path
    guard let freshet = freshet ?? find("freshet", [own]),
      FileManager.default.isExecutableFile(atPath: freshet)
    else {
      throw CommandFailure(
        "freshet-lab demo: freshet is neither beside this program nor in PATH; install the package freshet,"
          + " or name it with --program",
        .unavailable
      )
    }
    guard let git = find("git") else {
      throw CommandFailure("freshet-lab demo: git is not in PATH; install it", .unavailable)
    }
    // Programs run in another working folder.
    self.freshet = URL(filePath: freshet).standardizedFileURL.path
    self.git = git
    var kept = environment.filter { name, _ in
      !name.hasPrefix("FRESHET_") && !name.hasPrefix("GIT_")
    }
    kept["GIT_CONFIG_GLOBAL"] = "/dev/null"
    kept["GIT_CONFIG_NOSYSTEM"] = "1"
    for role in ["AUTHOR", "COMMITTER"] {
      kept["GIT_\(role)_NAME"] = "Demonstration"
      kept["GIT_\(role)_EMAIL"] = "demo@example.invalid"
    }
    self.environment = kept
  }
}
