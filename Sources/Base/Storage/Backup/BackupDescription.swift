import Foundation

/// What a backup says of itself: `backup.json`.
package struct BackupDescription: Codable, Hashable, Sendable {
  /// The format that this program writes, and the highest that it reads.
  package static let newestFormat = 1
  /// The name of its file.
  static let fileName = "backup.json"
  /// The longest file, in bytes.
  private static let longest = 64 * 1_024

  /// The format of the backup.
  package var format = BackupDescription.newestFormat
  /// The version of the program that made it.
  package var program: String
  /// When it was made, as in RFC 3339.
  package var madeAt: String
  /// Its folders.
  package var parts: [String]
  /// How many files are in them.
  package var files: Int

  /// Creates the description of a new backup.
  package init(program: String, madeAt: String, parts: [String], files: Int) {
    self.files = files
    self.program = program
    self.madeAt = madeAt
    self.parts = parts
  }

  /// Reads the description of a backup.
  ///
  /// - Throws: ``BackupFailure`` if the folder is not a backup, cannot be read, or has a newer format.
  package init(of backup: String) throws(BackupFailure) {
    struct Format: Decodable { var format: Int }
    let path = "\(backup)/\(Self.fileName)"
    let bytes: Data
    do throws(UnreadableFile) {
      bytes = try RegularFile.bytes(of: path, atMost: Self.longest, followsLink: false)
    } catch {
      guard error.isAbsent else {
        throw BackupFailure(.unreadable, "\(path): cannot be read: \(error)")
      }
      let isThere = FileManager.default.fileExists(atPath: backup)
      throw BackupFailure(
        isThere ? .damaged : .unreadable,
        isThere
          ? "\(backup): is not a backup of this program: \(Self.fileName) cannot be read"
          : "\(backup): does not exist"
      )
    }
    do {
      let format = try JSONDecoder().decode(Format.self, from: bytes).format
      guard (1...Self.newestFormat).contains(format) else {
        throw BackupFailure(
          .damaged,
          "\(path): has format \(format); this program reads formats up to \(Self.newestFormat): restore with the program that made the backup, or a newer one"
        )
      }
      self = try JSONDecoder().decode(Self.self, from: bytes)
    } catch {
      throw error as? BackupFailure
        ?? BackupFailure(.damaged, "\(path): is damaged: \(ErrorText.of(error, showsPath: false))")
    }
  }

  /// The file.
  var bytes: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return ((try? encoder.encode(self)).map(Array.init) ?? []) + Array("\n".utf8)
  }
}
