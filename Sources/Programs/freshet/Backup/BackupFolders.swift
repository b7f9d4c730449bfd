import ArgumentParser
import Commands
import ConditionalHTTP
import Foundation
import JobsServer
import ServeSettings
import StationboardServer
import Storage

/// The options that name the folders of a server, as `freshet serve` has them.
struct BackupFolders: ParsableArguments {
  /// The parts of a backup.
  enum Part: String, CaseIterable, ExpressibleByArgument {
    /// The data folder: feeds, history, and what is remembered of worktrees.
    case data
    /// The folder of jobs, library and catalogue.
    case jobs
  }

  @Option(
    help: ArgumentHelp(
      "The configuration of the server, which names both folders.",
      valueName: "file"
    )
  )
  var config: String?

  @OptionGroup var data: DataOption

  @Option(help: ArgumentHelp("The folder of jobs, library and catalogue.", valueName: "folder"))
  var jobs: String?

  /// Returns the folders, of which that of jobs is `nil` if it is not named.
  ///
  /// - Parameter command: The name of the command, for errors.
  /// - Returns: The folders.
  /// - Throws: ``CommandFailure`` if the configuration cannot be read.
  func named(for command: String) throws -> (data: DataFolder, jobs: JobFolder?) {
    let settings = try settings(for: command)
    let place = jobs ?? settings?.jobs?.folder
    return (data.folder(or: settings?.data), place.map { JobFolder(path: $0) })
  }

  private func settings(for command: String) throws -> ServeSettings? {
    try config.map { try ConfigurationFile(path: $0, for: "freshet \(command)") }?.settings
  }

  /// Whether the data folder was named.
  func namesData(for command: String) throws -> Bool {
    let environment = ProcessInfo.processInfo.environment["FRESHET_DATA"] ?? ""
    guard data.data == nil, environment.isEmpty else { return true }
    return try settings(for: command)?.data != nil
  }

  /// Does something with a backup, and ends the command if it fails.
  static func attempt<Result>(
    _ command: String,
    _ work: () throws(BackupFailure) -> Result
  ) throws -> Result {
    do throws(BackupFailure) {
      return try work()
    } catch {
      throw CommandFailure(
        "freshet \(command): \(Terminal.plain(error.description))",
        ProgramExit(error)
      )
    }
  }
}

/// What a command did with a backup, as JSON.
struct BackupReport: Encodable {
  var backup: String
  var madeAt: String
  var program: String
  var files: Int
  var bytes: Int
  var parts: [String]
  /// The folders that were restored.
  var restored: [String]?
}
