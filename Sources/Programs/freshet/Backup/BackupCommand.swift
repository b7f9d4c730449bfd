import ArgumentParser
import Commands
import ConditionalHTTP
import Foundation
import GTFS
import JobsServer
import StationboardServer
import Storage

/// `freshet backup`.
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Copy the folders of a server into a new folder, while it serves.",
    discussion: """
      The copy is consistent: databases are copied as they are at one instant, and feeds with the manifest that \
      names them. The folder has its name only when everything is on disk. SHA256SUMS in it lists the checksums, for \
      sha256sum --check too.

        freshet backup /srv/backups/monday --config /etc/freshet/freshet.json
        freshet backup /srv/backups/monday --data freshet-data --jobs freshet-jobs
        freshet restore /srv/backups/monday --data freshet-data --jobs freshet-jobs
      """
  )

  @Argument(help: "The new folder.", completion: .directory)
  var backup: String

  @OptionGroup var folders: BackupFolders

  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let place = backup.withoutTrailingSlashes
    let (data, jobs) = try folders.named(for: "backup")
    if let jobs, !jobs.exists { try fail("\(jobs.path): does not exist", .noInput) }
    let isData =
      try folders.namesData(for: "backup") || FileManager.default.fileExists(atPath: data.path)
    guard isData || jobs != nil else {
      try fail(
        "\(data.path): does not exist; name the folders with --config, or --data and --jobs",
        .noInput
      )
    }
    if let jobs, isData { _ = try folders.place(of: jobs, in: data, for: "backup") }
    let contents = try isData ? attemptToRead { () throws(FeedError) in try data.contents() } : nil
    guard contents?.items.isEmpty == false || jobs?.isEmpty == false else {
      let places = [isData ? data.path : nil, jobs?.path].compactMap { $0 }
      try fail(
        "\(places.joined(separator: ", ")): no timetables, history or jobs are there; name the folders of the server",
        .noInput
      )
    }
    let madeAt = InstantText.write(Date().timeIntervalSince1970.rounded(.down))
    let display = ProgressDisplay(isHidden: json)
    let progress = ProgressSum(
      "copying",
      total: Self.bytes(of: contents?.items ?? []) + Self.bytes(of: jobs?.databases ?? [])
        + Self.bytes(of: jobs?.inputs ?? []),
      display
    )
    let writer = try Interruption.handled { interruption in
      let writer = try BackupFolders.attempt("backup") { () throws(BackupFailure) in
        try BackupWriter(at: place, program: StationboardService.version)
      }
      let copied = { (bytes: Int) throws(BackupFailure) in
        progress.add(bytes)
        try interruption.check()
      }
      do {
        try BackupFolders.attempt("backup") { () throws(BackupFailure) in
          for item in contents?.items ?? [] {
            try writer.add(item, to: BackupFolders.Part.data.rawValue, copied: copied)
          }
          if let jobs { try Self.add(jobs, to: writer, copied) }
          try interruption.check()
          try writer.finish(madeAt: madeAt)
        }
      } catch {
        writer.abandon()
        display.finish()
        throw error
      }
      return writer
    }
    display.finish()
    let report = BackupReport(
      backup: place,
      madeAt: madeAt,
      program: StationboardService.version,
      files: writer.files,
      bytes: writer.bytes,
      parts: writer.parts
    )
    Terminal.write(
      json
        ? try PrintedJSON.document(report)
        : "Backed up \(Quantity.files(report.files)), \(Quantity.bytes(report.bytes)), to \(place).\n"
    )
  }

  /// Adds jobs: their files, then the databases, then the files that are new.
  private static func add(
    _ jobs: JobFolder,
    to writer: BackupWriter,
    _ copied: (Int) throws(BackupFailure) -> Void
  ) throws(BackupFailure) {
    let part = BackupFolders.Part.jobs.rawValue
    var names: Set<String> = []
    for item in jobs.inputs where try writer.add(item, to: part, copied: copied) {
      names.insert(item.name)
    }
    for item in jobs.databases { try writer.add(item, to: part, copied: copied) }
    for item in jobs.inputs where !names.contains(item.name) {
      try writer.add(item, to: part, copied: copied)
    }
  }

  private func attemptToRead<Result>(_ work: () throws(FeedError) -> Result) throws -> Result {
    do throws(FeedError) {
      return try work()
    } catch {
      try fail(error.message, ProgramExit(error))
    }
  }

  private func fail(_ reason: String, _ exit: ProgramExit) throws -> Never {
    throw CommandFailure("freshet backup: \(Terminal.plain(reason))", exit)
  }

  private static func bytes(of items: [BackupItem]) -> Int {
    items.reduce(0) { sum, item in
      switch item.source {
      case .bytes(let bytes): return sum + bytes.count
      case .file(let path, _), .database(let path):
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        return sum + (size ?? 0)
      }
    }
  }
}
