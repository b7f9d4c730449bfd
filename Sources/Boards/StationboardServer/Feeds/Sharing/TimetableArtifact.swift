import Foundation
import GTFS
import Timetable

/// The files of a generation as the database has them, in parts with a checksum each.
struct TimetableArtifact: Codable, Hashable, Sendable {
  /// A file.
  struct File: Codable, Hashable, Sendable {
    /// The name in the folder of the generation.
    var name: String
    var bytes: Int
    /// The XXH64 of each part, as the bits of a signed number.
    var checksums: [Int64]
  }

  /// Why an artifact cannot be fetched.
  enum Fault: Error, Hashable, CustomStringConvertible {
    /// Another version of the program stored it.
    case unreadable(String)
    /// It is not what was stored.
    case damaged(String)

    var description: String {
      switch self {
      case .unreadable(let reason), .damaged(let reason): reason
      }
    }
  }

  /// The versions that a program has to read to use an artifact.
  struct Versions: Codable, Hashable, Sendable {
    /// Of this description.
    var layout: Int
    /// Of the timetable file.
    var timetable: Int
    /// Of the stop search.
    var search: Int

    /// What this program reads.
    static let newest = Versions(
      layout: 1,
      timetable: Timetable.newestVersion,
      search: StopIndex.schemaVersion
    )

    /// What of it this program does not read; `nil` if it reads all.
    var unreadable: String? {
      let newest = Self.newest
      let parts = [
        ("of the artifact", layout, newest.layout, layout == newest.layout),
        ("of the timetable file", timetable, newest.timetable, timetable <= newest.timetable),
        ("of the stop search", search, newest.search, search == newest.search),
      ]
      guard let (part, found, known, _) = parts.first(where: { !$0.3 }) else { return nil }
      return "it has version \(found) \(part), and this program reads version \(known): "
        + (found > known ? "install the newer version of freshet" : "import the feed again")
    }
  }

  /// The files that a generation may have; the first two it must have.
  static let names = [
    Feed.timetableName, Feed.searchName, Feed.reportName, Feed.onDemandName,
    StaticCheck.changesName,
  ]

  var versions: Versions
  /// The bytes of each part but the last one of a file.
  var chunkBytes: Int
  var files: [File]

  /// The bytes of all files.
  var bytes: Int { files.reduce(0) { $0 + $1.bytes } }

  /// The text for the database.
  var text: String {
    get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
  }

  /// Reads what ``text`` wrote.
  init(_ text: String, _ limits: TimetableSharingLimits) throws(Fault) {
    struct Known: Decodable { var versions: Versions }
    let data = Data(text.utf8)
    let decoder = JSONDecoder()
    guard let versions = try? decoder.decode(Known.self, from: data).versions else {
      throw .damaged("its description cannot be read")
    }
    if let reason = versions.unreadable { throw .unreadable(reason) }
    guard let read = try? decoder.decode(Self.self, from: data) else {
      throw .damaged("its description cannot be read")
    }
    self = read
    let found = files.map(\.name)
    guard found.allSatisfy({ Self.names.contains($0) }), Set(found).count == found.count,
      Self.names.prefix(2).allSatisfy({ found.contains($0) })
    else { throw .damaged("its description names other files than a timetable has") }
    guard chunkBytes > 0, chunkBytes <= limits.artifactBytes,
      files.allSatisfy({ $0.bytes >= 0 && $0.bytes <= limits.artifactBytes })
    else { throw .damaged("its description has sizes that no timetable has") }
    guard bytes <= limits.artifactBytes else {
      throw .damaged("it has \(bytes) bytes; the most is \(limits.artifactBytes)")
    }
    guard files.allSatisfy({ $0.checksums.count == chunkCount(of: $0) }) else {
      throw .damaged("its description has not one checksum for each part")
    }
  }

  /// Creates the description of files without their parts.
  init(chunkBytes: Int, timetable: Int) {
    versions = .newest
    versions.timetable = timetable
    self.chunkBytes = chunkBytes
    files = []
  }

  /// In how many parts a file is stored.
  func chunkCount(of file: File) -> Int { (file.bytes + chunkBytes - 1) / chunkBytes }

  /// The bytes of a part of a file.
  func bytes(of file: File, part: Int) -> Int {
    min(chunkBytes, file.bytes - part * chunkBytes)
  }

  /// The checksum of a part.
  static func checksum(_ bytes: [UInt8]) -> Int64 {
    bytes.withUnsafeBytes { Int64(bitPattern: Timetable.checksum($0)) }
  }
}
