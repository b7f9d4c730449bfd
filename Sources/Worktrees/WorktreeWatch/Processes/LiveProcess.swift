import Git

/// A process that uses a folder.
package struct LiveProcess: Hashable, Sendable {
  /// How a process uses a folder.
  package enum Use: Hashable, Sendable {
    /// Its working folder lies within.
    case workingFolder
    /// The program it runs lies within.
    case program
    /// Its root folder lies within (chroot(2)).
    case rootFolder
    /// It has a file within open.
    case file(String)
    /// It has a file within mapped into its memory.
    case mapping(String)
    /// It has a socket that is bound to a path within.
    case socket(String)
  }

  /// Its number.
  package var number: Int32
  /// When it started, in clock ticks since the machine did: distinguishes it from a later one with the same number.
  package var start: UInt64
  /// Its name in the kernel, at most 15 bytes.
  package var name: String
  /// How it uses the folder.
  package var use: Use

  /// Its name and number, and the file it has open.
  package var description: String {
    switch use {
    case .workingFolder: "\(name) (process \(number))"
    case .program: "\(name) (process \(number), a program from there)"
    case .rootFolder: "\(name) (process \(number), has its root folder there)"
    case .file(let path): "\(name) (process \(number), has \(path) open)"
    case .mapping(let path): "\(name) (process \(number), has \(path) mapped)"
    case .socket(let path): "\(name) (process \(number), has the socket \(path))"
    }
  }
}

/// What `/proc/N/stat` says of a process (proc_pid_stat(5)).
struct ProcessStatus: Hashable, Sendable {
  /// Its number.
  var number: Int32
  /// The process that started it, or that took it over.
  var parent: Int32
  /// When it started, in clock ticks since the machine did.
  var start: UInt64
  /// Its name in the kernel.
  var name: String

  /// Reads the line; fails if it is not of the format, or the process is dead and not yet collected.
  ///
  /// - Parameter bytes: The content of the file.
  init?(_ bytes: [UInt8]) {
    // The name is in parentheses and may contain some itself.
    guard let opening = bytes.firstIndex(of: UInt8(ascii: "(")),
      let closing = bytes.lastIndex(of: UInt8(ascii: ")")), opening < closing,
      let number = Int32(
        String(decoding: bytes[..<opening].filter { $0 != 0x20 }, as: UTF8.self)
      )
    else { return nil }
    let fields = bytes[(closing + 1)...].split(separator: UInt8(ascii: " "))
    guard fields.count > 19, let state = fields[0].first,
      ![UInt8(ascii: "Z"), UInt8(ascii: "X")].contains(state),
      let parent = Int32(String(decoding: fields[1], as: UTF8.self)),
      let start = UInt64(String(decoding: fields[19], as: UTF8.self))
    else { return nil }
    self.number = number
    self.parent = parent
    self.start = start
    name = String(decoding: bytes[(opening + 1)..<closing], as: UTF8.self)
  }
}
