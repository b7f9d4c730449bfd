/// What `git config --list --show-origin -z` says: the files of a configuration and values in it.
public struct GitSettings: Hashable, Sendable {
  private static let source = "git config --list"
  /// The files it comes from as git names them, in the order they are read.
  public private(set) var files: [String] = []
  /// The files that are included, each with the one that includes it; conditions are not looked at.
  public private(set) var included: [Inclusion] = []
  private var values: [String: String] = [:]

  /// A file that another one includes.
  public struct Inclusion: Hashable, Sendable {
    /// The path as it is written, relative to the folder of the file that includes it.
    public var path: String
    /// The file that includes it.
    public var by: String
  }

  /// Reads the list.
  ///
  /// - Throws: ``GitOutputError`` if an origin has no value.
  public init(_ output: [UInt8]) throws(GitOutputError) {
    guard !output.isEmpty else { return }
    let parts = output.split(separator: 0, omittingEmptySubsequences: false)
    var position = 0
    while position + 1 < parts.count {
      let (origin, entry) = (parts[position].text, parts[position + 1])
      position += 2
      let file = origin.hasPrefix("file:") ? String(origin.dropFirst(5)) : nil
      if let file, files.last != file, !files.contains(file) { files.append(file) }
      let line = entry.firstIndex(of: 0x0A)
      let key = entry[..<(line ?? entry.endIndex)].text
      let value = line.map { entry[($0 + 1)...].text } ?? ""
      values[key] = value
      if let file, key == "include.path" || key.hasPrefix("includeif.") && key.hasSuffix(".path") {
        included.append(Inclusion(path: value, by: file))
      }
    }
    guard position + 1 == parts.count, parts.last?.isEmpty == true else {
      throw GitOutputError(Self.source, record: position / 2 + 1, "it has no value")
    }
  }

  /// The last value of a key, which is written in small letters; `nil` if nobody sets it.
  public subscript(key: String) -> String? { values[key] }
}
