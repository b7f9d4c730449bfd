import ArgumentParser
import Commands
import Foundation
import JobsServer
import StationboardServer
import Storage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `freshet restore`.
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Restore the folders of a server from a backup.",
    discussion: """
      Every file is compared with its checksum before a folder appears. A folder that has something in it is not touched: stop \
      the server and move its folders away first. Run as root, the files get the owner of the folder, or of the one around it.

        freshet restore /srv/backups/monday --check
        freshet restore /srv/backups/monday --config /etc/freshet/freshet.json
        freshet restore /srv/backups/monday --part data --data freshet-data
      """
  )

  @Argument(help: "The folder that freshet backup made.", completion: .directory)
  var backup: String

  @OptionGroup var folders: BackupFolders

  @Option(help: "Restore only this part: data or jobs. Default: all that the backup has.")
  var part: [BackupFolders.Part] = []

  @Flag(help: "Only compare all files with their checksums.")
  var check = false

  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let place = backup.withoutTrailingSlashes
    let reader = try attempt { () throws(BackupFailure) in try BackupReader(place) }
    let bytes = reader.bytes
    let display = ProgressDisplay(isHidden: json)
    defer { display.finish() }
    let progress = ProgressSum(
      check ? "comparing checksums" : "copying",
      total: bytes,
      display
    )
    var report = BackupReport(
      backup: place,
      madeAt: reader.about.madeAt,
      program: reader.about.program,
      files: reader.files,
      bytes: bytes,
      parts: reader.about.parts
    )
    if check {
      try attempt { () throws(BackupFailure) in try reader.check(checked: progress.add) }
    } else {
      report.restored = try restore(reader, progress)
    }
    display.finish()
    Terminal.write(json ? try PrintedJSON.document(report) : text(report))
  }

  /// Restores the parts; none of the folders appears before all are complete.
  private func restore(_ reader: BackupReader, _ progress: ProgressSum) throws -> [String] {
    let targets = try targets(of: reader)
    return try Interruption.handled { interruption in
      // Only what this process made is removed.
      var made: [String] = []
      let copied = { (bytes: Int) throws(BackupFailure) in
        progress.add(bytes)
        try interruption.check()
      }
      do {
        try attempt { () throws(BackupFailure) in
          for target in targets {
            try make(target, reader, &made, copied)
          }
          try interruption.check()
          try Self.move(targets.filter { !$0.isWithinOther })
        }
      } catch {
        for folder in made { try? FileManager.default.removeItem(atPath: folder) }
        throw error
      }
      return targets.map(\.folder)
    }
  }

  /// Makes a folder beside its place.
  private func make(
    _ target: Target,
    _ reader: BackupReader,
    _ made: inout [String],
    _ copied: (Int) throws(BackupFailure) -> Void
  ) throws(BackupFailure) {
    let fresh = target.fresh
    let attributes = RestoredFolder(replacing: target.folder)
    var status = stat()
    if target.isWithinOther {
      try attributes.create(fresh.enclosingFolder)
    } else if lstat(fresh, &status) == 0 {
      throw BackupFailure(
        .unwritable,
        "\(fresh): exists; another restore is running, or was stopped: remove it then"
      )
    }
    made.append(fresh)
    try reader.extract(target.part.rawValue, to: fresh, as: attributes, copied: copied)
    if target.part == .jobs {
      try JobFolder(path: fresh).renewLog(now: Date().timeIntervalSince1970)
    }
  }

  /// Gives all folders their places, or none.
  private static func move(_ targets: [Target]) throws(BackupFailure) {
    var moved: [String] = []
    do throws(BackupFailure) {
      for target in targets {
        try RestoredFolder.move(target.fresh, to: target.folder)
        moved.append(target.folder)
      }
    } catch {
      for folder in moved { try RestoredFolder.move(folder, to: folder + ".restoring") }
      throw error
    }
  }

  /// A folder to restore.
  private struct Target {
    let part: BackupFolders.Part
    let folder: String
    /// Where it is until everything is complete.
    let fresh: String
    /// Whether that is in the folder of the target before it, with which it gets its place.
    let isWithinOther: Bool

    init(_ part: BackupFolders.Part, _ folder: String, within fresh: String? = nil) {
      self.part = part
      self.folder = folder
      self.fresh = fresh ?? folder + ".restoring"
      isWithinOther = fresh != nil
    }
  }

  /// The folders to restore, none of which has anything in it.
  private func targets(of reader: BackupReader) throws -> [Target] {
    let (data, jobs) = try folders.named(for: "restore")
    let jobsPart = BackupFolders.Part.jobs
    if folders.jobs != nil, part.isEmpty, !reader.about.parts.contains(jobsPart.rawValue) {
      try fail("\(reader.path): has no \(jobsPart.rawValue); leave out --jobs", .badData)
    }
    var targets: [Target] = []
    for one in BackupFolders.Part.allCases where part.isEmpty || part.contains(one) {
      guard reader.about.parts.contains(one.rawValue) else {
        guard part.contains(one) else { continue }
        try fail("\(reader.path): has no \(one.rawValue)", .badData)
      }
      switch one {
      case .data: targets.append(Target(one, data.path))
      case .jobs:
        guard let jobs else {
          try fail(
            "\(reader.path): has jobs; name their folder with --jobs, or leave them out with --part data",
            .usage
          )
        }
        // The data folder comes first, if it is restored.
        if let around = targets.first,
          let place = try folders.place(of: jobs, in: data, for: "restore")
        {
          targets.append(Target(one, jobs.path, within: "\(around.fresh)/\(place)"))
        } else {
          targets.append(Target(one, jobs.path))
        }
      }
    }
    for target in targets {
      var status = stat()
      if lstat(target.folder, &status) == 0, status.st_mode & S_IFMT != S_IFDIR {
        try fail("\(target.folder): is not a folder; name one, or move it away", .cannotCreate)
      }
      let entries = (try? FileManager.default.contentsOfDirectory(atPath: target.folder)) ?? []
      guard entries.isEmpty else {
        try fail(
          "\(target.folder): is not empty; stop the server and move the folder away, or name another one",
          .cannotCreate
        )
      }
      var here = stat()
      if stat(".", &here) == 0, here.st_dev == status.st_dev, here.st_ino == status.st_ino {
        try fail(
          "\(target.folder): is the folder that this command runs in, and is to be replaced; run it from another one",
          .cannotCreate
        )
      }
      if ["", ".", ".."].contains(target.folder.split(separator: "/").last ?? "") {
        try fail("\(target.folder): ends in . or ..; name the folder itself", .usage)
      }
    }
    return targets
  }

  private func text(_ report: BackupReport) -> String {
    let of = "\(report.backup), made \(report.madeAt) by version \(report.program)"
    guard let restored = report.restored else {
      return "All \(report.files) files are as they were: \(of).\n"
    }
    return "Restored \(restored.joined(separator: " and ")) from \(of).\n"
  }

  private func attempt<Result>(_ work: () throws(BackupFailure) -> Result) throws -> Result {
    try BackupFolders.attempt("restore", work)
  }

  private func fail(_ reason: String, _ exit: ProgramExit) throws -> Never {
    throw CommandFailure("freshet restore: \(Terminal.plain(reason))", exit)
  }
}
