import ArgumentParser
import Commands
import ConditionalHTTP
import Foundation
import JobsServer
import ServeSettings
import StationboardServer
import Storage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

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
    return (
      data.folder(or: settings?.data),
      place.map { JobFolder(path: $0.withoutTrailingSlashes) }
    )
  }

  /// Finds the folder of jobs in the data folder, where a backup holds both.
  ///
  /// - Parameters:
  ///   - jobs: The folder of jobs.
  ///   - data: The data folder.
  ///   - command: The name of the command, for errors.
  /// - Returns: Its path in the data folder; `nil` if it is beside it.
  /// - Throws: ``CommandFailure`` if a restore could not make the folders: both are one, or the data folder is in that of jobs.
  func place(of jobs: JobFolder, in data: DataFolder, for command: String) throws -> String? {
    let (inner, outer) = (Self.components(of: jobs.path), Self.components(of: data.path))
    guard !outer.starts(with: inner) else {
      let fault =
        inner == outer
        ? "\(jobs.path): is the folder of the timetables and of the jobs"
        : "\(data.path): is in the folder of the jobs, \(jobs.path)"
      let advice = "stop the server and give each a folder of its own"
      let isOfFile = config != nil && self.data.data == nil && self.jobs == nil
      throw CommandFailure(
        "freshet \(command): \(Terminal.plain("\(fault); \(advice)"))",
        isOfFile ? .configuration : .usage
      )
    }
    guard inner.starts(with: outer) else { return nil }
    return inner.dropFirst(outer.count).joined(separator: "/")
  }

  /// The components of a path, without symbolic links as far as it exists.
  private static func components(of path: String) -> [String] {
    var (place, rest) = (path, [String]())
    while true {
      if let real = realpath(place, nil) {
        defer { free(real) }
        return String(cString: real).split(separator: "/").map(String.init) + rest
      }
      guard let last = place.split(separator: "/").last, place != "." else { return rest }
      rest.insert(String(last), at: 0)
      place = place.enclosingFolder
    }
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
