import ConditionalHTTP
public import Foundation
public import Freshness
import HTTPTypes

/// Keeps the newest copies of resources in a folder, so that an app has something to show at once.
///
/// A restored copy is labeled as such, with its age, and is never live (R38). Copies belong to the
/// identity that requested them: another identity never sees them (R19). Call ``removeAll()`` when
/// a user signs out.
///
/// A file that is damaged, of another resource, too old or too large counts as absent and is
/// removed. A copy that cannot be written is left out: the app works without it.
public actor CopyStore {
  /// The limits of a store.
  public struct Limits: Hashable, Sendable {
    /// The maximum number of copies; beyond it, those written first are removed.
    public static let copies = 64
    /// The maximum size of one copy, in bytes.
    public static let bytes = 4 << 20
    /// The maximum age of a copy.
    public static let longestAge = Duration.seconds(30 * 86_400)

    /// The maximum number of copies.
    public var copies: Int
    /// The maximum size of one copy, in bytes.
    public var bytes: Int
    /// The maximum age of a copy.
    public var longestAge: Duration

    /// Creates limits.
    public init(
      copies: Int = Limits.copies,
      bytes: Int = Limits.bytes,
      longestAge: Duration = Limits.longestAge
    ) {
      self.copies = max(copies, 1)
      self.bytes = max(bytes, 1)
      self.longestAge = longestAge
    }
  }

  /// What a file has besides the value.
  private struct Header: Codable {
    var version = 1
    var name: String
    var ageMs: Int64
    var storedAt: Int64
    var sourceTime: Int64?
  }

  private static let ending = "copy"
  private static let lineEnd = UInt8(ascii: "\n")

  private let folder: URL
  private let limits: Limits
  private let wall: @Sendable () -> WallTime

  /// Creates a store in a folder, which is created when the first copy is written.
  ///
  /// - Parameters:
  ///   - folder: The folder. Other files in it are not touched.
  ///   - limits: The limits.
  ///   - wall: The wall clock, which counts the time between two runs.
  public init(
    folder: URL,
    limits: Limits = Limits(),
    wall: @escaping @Sendable () -> WallTime = HostClock.wallTime
  ) {
    self.folder = folder
    self.limits = limits
    self.wall = wall
  }

  /// Creates a store in the caches folder of the user, which the system may empty.
  ///
  /// - Parameters:
  ///   - name: The name of the folder, such as the bundle identifier of the app.
  ///   - limits: The limits.
  public init(inCachesNamed name: String, limits: Limits = Limits()) {
    let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
    let base = caches ?? FileManager.default.temporaryDirectory
    self.init(folder: base.appending(path: name).appending(path: "freshness"), limits: limits)
  }

  /// Removes all copies.
  public func removeAll() {
    for file in files() { try? FileManager.default.removeItem(at: file) }
  }

  /// The number of copies.
  public var count: Int { files().count }

  // MARK: Reading and writing

  /// Writes a copy in place of the one before.
  ///
  /// - Parameters:
  ///   - content: The encoded value.
  ///   - age: Its age now.
  ///   - sourceTime: When its data was made, if known.
  ///   - name: The name of resource and identity.
  func write(_ content: Data, age: Instant.Duration, sourceTime: WallTime? = nil, as name: String) {
    let header = Header(
      name: name,
      ageMs: age.milliseconds,
      storedAt: wall().milliseconds,
      sourceTime: sourceTime?.milliseconds
    )
    guard content.count <= limits.bytes, var data = try? JSONEncoder().encode(header) else {
      return remove(name)
    }
    data.append(Self.lineEnd)
    data.append(content)
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    do {
      try data.write(to: file(of: name), options: .atomic)
    } catch {
      // Without the new copy the old one would be restored with the wrong age.
      remove(name)
    }
    trim()
  }

  /// Reads a copy.
  ///
  /// - Parameter name: The name of resource and identity.
  /// - Returns: The copy, or `nil` if the store has none.
  func read(_ name: String) -> StoredCopy? {
    let file = file(of: name)
    guard let size = try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize,
      size <= limits.bytes + name.utf8.count * 6 + 256, let data = try? Data(contentsOf: file),
      let end = data.firstIndex(of: Self.lineEnd),
      let header = try? JSONDecoder().decode(Header.self, from: data[..<end]),
      header.version == 1, header.name == name, header.ageMs >= 0
    else {
      remove(name)
      return nil
    }
    // A wall clock that was set back says nothing about the time since; the copy is at least as old
    // as it was.
    let since = max(wall() - WallTime(milliseconds: header.storedAt), .zero)
    let age = Instant.Duration(milliseconds: header.ageMs) + since
    guard age.duration <= limits.longestAge else {
      remove(name)
      return nil
    }
    return StoredCopy(
      content: Data(data[data.index(after: end)...]),
      age: age,
      sourceTime: header.sourceTime.map { WallTime(milliseconds: $0) }
    )
  }

  private func file(of name: String) -> URL {
    let digest = SHA256.hash(name.utf8).map { byte in
      let digits = String(byte, radix: 16)
      return byte < 16 ? "0" + digits : digits
    }
    return folder.appending(path: digest.joined()).appendingPathExtension(Self.ending)
  }

  private func remove(_ name: String) {
    try? FileManager.default.removeItem(at: file(of: name))
  }

  private func files() -> [URL] {
    let all = try? FileManager.default.contentsOfDirectory(
      at: folder,
      includingPropertiesForKeys: [.contentModificationDateKey]
    )
    return (all ?? []).filter { $0.pathExtension == Self.ending }
  }

  private func trim() {
    let files = files()
    guard files.count > limits.copies else { return }
    func written(_ file: URL) -> Date {
      (try? file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate)
        ?? .distantPast
    }
    let byAge = files.map { (file: $0, at: written($0)) }.sorted { $0.at < $1.at }
    for entry in byAge.prefix(files.count - limits.copies) {
      try? FileManager.default.removeItem(at: entry.file)
    }
  }
}

/// A copy from a ``CopyStore``.
struct StoredCopy: Sendable {
  /// The encoded value.
  var content: Data
  /// Its age now.
  var age: Instant.Duration
  /// When its data was made, if known.
  var sourceTime: WallTime?
}

/// Restores a resource from a store, and keeps its newest copy there.
struct CopyKeeper<R: FreshResource>: Sendable {
  private let resource: R
  private let client: FreshnessClient
  private let store: CopyStore
  private let encode: @Sendable (R.Value) -> Data?
  private let decode: @Sendable (Data) -> R.Value?

  /// Creates a keeper for values that can be encoded.
  init(_ resource: R, of client: FreshnessClient, in store: CopyStore) where R.Value: Codable {
    self.resource = resource
    self.client = client
    self.store = store
    encode = { try? JSONEncoder().encode($0) }
    decode = { try? JSONDecoder().decode(R.Value.self, from: $0) }
  }

  /// The name of the resource for the identity of now, without its secrets.
  private var name: String {
    let opening = ResourceOpening(resource)
    let fields = client.withRegistry { $0.credentials }.map { "\($0.name): \($0.value)" }.sorted()
    let identity = SHA256.hash(fields.joined(separator: "\n").utf8).prefix(8).map { String($0) }
    return "\(opening.origin) \(opening.title) \(R.Value.self) \(identity.joined(separator: "."))"
  }

  /// Restores the stored copy if the client has none.
  func restore() async {
    guard client.value(of: resource) == nil else { return }
    let name = name
    guard let stored = await store.read(name), let value = decode(stored.content) else { return }
    // Another identity may have been set since.
    guard name == self.name else { return }
    client.restore(value, age: stored.age, sourceTime: stored.sourceTime, to: resource)
  }

  /// Stores a copy from the server.
  func keep(_ snapshot: LiveSnapshot<R.Value>) async {
    guard snapshot.label.provenance == .server, let value = snapshot.value,
      let age = snapshot.label.age, let content = encode(value)
    else { return }
    let name = name
    // The age may be a little older by now, and the copy may be another.
    let now = client.reading(of: resource)
    let report = now?.copy == snapshot.copy ? now?.report : nil
    await store.write(
      content,
      age: report?.label.age ?? age,
      sourceTime: report?.sourceTime,
      as: name
    )
  }
}
