/// Folders that were renamed, as far as the renames of files show: where a merge may put what is new in them
/// (git-config(1), merge.directoryRenames).
///
/// Git decides by the most files of a folder; here each file counts, so that no place is missed.
public struct FolderRenames: Hashable, Sendable {
  /// The new folders by the old one; each ends in a slash unless it is the topmost.
  private var targets: [[UInt8]: Set<[UInt8]>] = [:]
  /// How often a path is followed: a commit may move what the one before has moved.
  private static let rounds = 3

  /// Creates an empty set.
  public init() {}

  /// Notes the renames in the output of `git diff-tree -z --name-status`, or of `git log` with these options.
  public mutating func note(_ output: [UInt8]) {
    var fields = output.split(separator: 0)[...]
    while let status = fields.popFirst() {
      guard status.first == UInt8(ascii: "R"), let old = fields.popFirst(),
        let new = fields.popFirst()
      else { continue }
      note(Array(old), Array(new))
    }
  }

  /// Notes that a file was renamed.
  public mutating func note(_ old: [UInt8], _ new: [UInt8]) {
    var (from, to) = (Self.folder(old), Self.folder(new))
    while from != to {
      targets[from, default: []].insert(to)
      // A folder whose name stays was renamed with the one around it.
      guard !from.isEmpty, !to.isEmpty, Self.name(from) == Self.name(to) else { return }
      (from, to) = (Self.folder(from.dropLast()), Self.folder(to.dropLast()))
    }
  }

  /// Where paths may be led by these renames, besides to themselves.
  public func places(of paths: [[UInt8]]) -> [[UInt8]] {
    guard !targets.isEmpty else { return [] }
    var (found, open) = (Set<[UInt8]>(), paths)
    for _ in 0..<Self.rounds {
      var next: [[UInt8]] = []
      for path in open {
        let ends = [0] + path.indices.filter { path[$0] == 0x2F }.map { $0 + 1 }
        for end in ends {
          for target in targets[Array(path[..<end])] ?? [] {
            let place = target + path[end...]
            if found.insert(place).inserted { next.append(place) }
          }
        }
      }
      open = next
    }
    return Array(found)
  }

  private static func folder(_ path: some BidirectionalCollection<UInt8>) -> [UInt8] {
    path.lastIndex(of: 0x2F).map { Array(path[...$0]) } ?? []
  }

  private static func name(_ folder: [UInt8]) -> ArraySlice<UInt8> {
    let path = folder.dropLast()
    return path.lastIndex(of: 0x2F).map { path[($0 + 1)...] } ?? path
  }
}
