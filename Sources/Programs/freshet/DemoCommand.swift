import ArgumentParser
import Commands
import Foundation

/// `freshet demo`: becomes `freshet-lab demo`, which has the simulators.
struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: DemoText.abstract,
    discussion: DemoText.discussion
  )

  @OptionGroup var options: DemoOptions

  func run() throws {
    let program = Bundle.main.executablePath ?? CommandLine.arguments[0]
    guard let laboratory = Self.laboratory(beside: program) else {
      throw CommandFailure(
        "freshet demo: the simulators are in freshet-lab, which is neither beside \(program) nor in PATH;"
          + " install the package freshet-lab",
        .unavailable
      )
    }
    // What was typed behind the name of the command, which these options have checked.
    let typed = CommandLine.arguments.drop { $0 != "demo" }.dropFirst()
    let words = [laboratory, "demo", "--program", program] + typed
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { word in strdup(word) }
    arguments.append(nil)
    fflush(nil)
    execv(laboratory, &arguments)
    let reason = String(cString: strerror(errno))
    throw CommandFailure("freshet demo: \(laboratory): \(reason)", .system)
  }

  /// Finds freshet-lab beside this program, or in `PATH`.
  private static func laboratory(beside program: String) -> String? {
    let beside = URL(filePath: program).resolvingSymlinksInPath().deletingLastPathComponent().path
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    // A folder without an absolute path would be another one in another working folder.
    let folders =
      [beside] + path.split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
    return folders.map { "\($0)/freshet-lab" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }
}
