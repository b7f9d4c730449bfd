import Foundation
import Glibc
import Synchronization

/// The configurations that a person trusts: by repository, digests of the programs that they name.
///
/// A digest that is not among them is not trusted, so a configuration that changes loses the trust, and one that is as
/// it was has it again. The list is kept in a file that only its owner reads and writes.
package final class TrustedRepositories: Sendable {
  /// A repository with what is trusted of it.
  struct Entry: Codable, Hashable, Sendable {
    /// The common directory.
    var repository: String
    /// Digests, the newest last.
    var digests: [String]
  }

  /// Why the list could not be kept.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason in one line.
    package var description: String
  }

  private let path: String?
  private let entries: Mutex<[Entry]>

  /// Reads a list.
  ///
  /// - Parameter path: The file; a missing one, or one that cannot be read, trusts nothing. `nil` keeps nothing.
  package init(path: String? = nil) {
    self.path = path
    let bytes = path.flatMap { HostFile.bytes($0, limit: WatchLimits.trustFileBytes) }
    let found = bytes.flatMap { try? JSONDecoder().decode([Entry].self, from: Data($0)) }
    entries = Mutex(found ?? [])
  }

  /// Whether a configuration is trusted.
  ///
  /// - Parameters:
  ///   - digest: Distinguishes its programs from others.
  ///   - common: The common directory of the repository.
  /// - Returns: Whether a person trusts it.
  package func isTrusted(_ digest: String, of common: String) -> Bool {
    entries.withLock { entries in
      entries.contains { Self.is($0, common) && $0.digests.contains(digest) }
    }
  }

  /// Trusts a configuration; of one repository ``WatchLimits/trustedDigests`` are remembered, of all
  /// ``WatchLimits/trustedRepositories``.
  ///
  /// - Throws: ``Failure`` if the list cannot be kept; then nothing is trusted that was not before.
  package func trust(_ digest: String, of common: String) throws(Failure) {
    try change { entries in
      var digests = entries.first { Self.is($0, common) }?.digests ?? []
      digests.removeAll { $0 == digest }
      digests = digests.suffix(WatchLimits.trustedDigests - 1) + [digest]
      entries.removeAll { Self.is($0, common) }
      entries = entries.suffix(WatchLimits.trustedRepositories - 1)
      entries.append(Entry(repository: common, digests: digests))
    }
  }

  /// Trusts nothing of a repository any more.
  ///
  /// - Throws: ``Failure`` if the list cannot be kept.
  package func distrust(_ common: String) throws(Failure) {
    try change { $0.removeAll { Self.is($0, common) } }
  }

  private static func `is`(_ entry: Entry, _ common: String) -> Bool {
    entry.repository.utf8.elementsEqual(common.utf8)
  }

  private func change(_ body: (inout [Entry]) -> Void) throws(Failure) {
    try entries.withLock { entries throws(Failure) in
      var changed = entries
      body(&changed)
      if let path { try Self.write(changed, to: path) }
      entries = changed
    }
  }

  /// Replaces the file as a whole.
  private static func write(_ entries: [Entry], to path: String) throws(Failure) {
    func failed(_ what: String) -> Failure {
      Failure(description: "\(path) cannot be \(what): \(String(cString: strerror(errno)))")
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let bytes = try? encoder.encode(entries) else { throw failed("made") }
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let fresh = "\(path).\(getpid()).new"
    unlink(fresh)
    let file = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw failed("written") }
    let written = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
    let isKept = written == bytes.count && fsync(file) == 0
    close(file)
    guard isKept, rename(fresh, path) == 0 else {
      let failure = failed("written")
      unlink(fresh)
      throw failure
    }
  }
}
