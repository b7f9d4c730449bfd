/// The summary of a written sample network.
public struct SampleSummary: Hashable, Sendable, CustomStringConvertible {
  /// One file of the feed.
  public struct File: Hashable, Sendable {
    /// The name in the folder, such as `stops.txt`.
    public let name: String
    /// The rows below the header.
    public let rows: Int
    /// The length in bytes.
    public let bytes: Int
  }

  /// The files in the order they were finished.
  public internal(set) var files: [File] = []
  /// The stations and the stops without a station; platforms are not counted.
  public internal(set) var stops = 0
  /// The differences between the network and the options, one sentence each.
  public internal(set) var remarks: [String] = []

  /// The length of all files in bytes.
  public var bytes: Int { self.files.reduce(0) { $0 + $1.bytes } }

  /// Returns the rows below the header of a file, or `nil` if the feed has no such file.
  public func rows(of name: String) -> Int? { self.files.first { $0.name == name }?.rows }

  /// The files with their rows, then the remarks, one line each.
  public var description: String {
    let files = self.files.map { "\($0.name): \($0.rows) rows, \($0.bytes) bytes" }
    return (files + self.remarks).joined(separator: "\n")
  }
}
