import Commands
import Foundation

/// The differences between two copies of a document.
struct DocumentDifference {
  /// One difference.
  struct Change: Equatable {
    /// The place: a path in JSON, or a line of text.
    var place: String
    /// The old value; `nil` if it is new.
    var was: String?
    /// The new value; `nil` if it was removed.
    var becomes: String?
  }

  /// The maximum number of differences that are listed.
  static let most = 20
  /// The maximum nesting of JSON that is compared in detail.
  static let deepest = 64
  /// The maximum number of lines of text that are compared in detail.
  static let mostLines = 5_000
  /// The maximum length of a value shown in full, in characters.
  static let longestValue = 120

  /// The first differences, up to ``most``.
  private(set) var changes: [Change] = []
  /// The number of further differences.
  private(set) var more = 0
  /// Whether both have the same content in different spellings.
  private(set) var isOfFormOnly = false

  /// Compares two copies: as JSON if both are JSON, else as text, else by size.
  init(from old: DocumentCopy, to new: DocumentCopy) {
    if let left = Self.json(old), let right = Self.json(new) {
      compare(left, right, at: "", depth: 0)
      isOfFormOnly = changes.isEmpty
    } else if let left = old.text, let right = new.text {
      compare(left, right)
    }
    if changes.isEmpty {
      add(
        Change(
          place: "",
          was: Quantity.bytes(old.bytes.count),
          becomes: Quantity.bytes(new.bytes.count)
        )
      )
    }
  }

  private static func json(_ copy: DocumentCopy) -> Any? {
    guard copy.isJSON else { return nil }
    return try? JSONSerialization.jsonObject(with: Data(copy.bytes), options: .fragmentsAllowed)
  }

  private mutating func add(_ change: Change) {
    if changes.count < Self.most { changes.append(change) } else { more += 1 }
  }

  // MARK: JSON

  private mutating func compare(_ old: Any?, _ new: Any?, at path: String, depth: Int) {
    guard depth < Self.deepest else {
      if !Self.areEqual(old, new) { add(Change(place: path, was: "…", becomes: "…")) }
      return
    }
    switch (old, new) {
    case (let old as [String: Any], let new as [String: Any]):
      for name in Set(old.keys).union(new.keys).sorted() {
        let place = path.isEmpty ? name : "\(path).\(name)"
        compare(old[name], new[name], at: place, depth: depth + 1)
      }
    case (let old as [Any], let new as [Any]):
      compare(old, new, at: path, depth: depth)
    default:
      guard !Self.areEqual(old, new) else { return }
      add(Change(place: path, was: old.map(Self.text), becomes: new.map(Self.text)))
    }
  }

  /// Compares lists by the identity of their elements if they have one, else by position.
  private mutating func compare(_ old: [Any], _ new: [Any], at path: String, depth: Int) {
    if let left = Self.identified(old), let right = Self.identified(new), left.name == right.name {
      let order = left.ids + right.ids.filter { left.elements[$0] == nil }
      for id in order {
        let place = "\(path)[\(left.name)=\(id)]"
        compare(left.elements[id], right.elements[id], at: place, depth: depth + 1)
      }
      let before = left.ids.filter { right.elements[$0] != nil }
      let after = right.ids.filter { left.elements[$0] != nil }
      if before != after {
        let texts = [before, after].map { Self.cut($0.joined(separator: ", ")) }
        let place = path.isEmpty ? "order" : "order of \(path)"
        add(Change(place: place, was: texts[0], becomes: texts[1]))
      }
      return
    }
    for index in 0..<max(old.count, new.count) {
      compare(
        index < old.count ? old[index] : nil,
        index < new.count ? new[index] : nil,
        at: "\(path)[\(index)]",
        depth: depth + 1
      )
    }
  }

  private struct Identified {
    var name: String
    var ids: [String]
    var elements: [String: Any]
  }

  private static let identities = ["id", "trip_id", "path", "name", "key"]

  private static func identified(_ list: [Any]) -> Identified? {
    let objects = list.compactMap { $0 as? [String: Any] }
    guard objects.count == list.count, !objects.isEmpty else { return nil }
    for name in identities {
      let ids = objects.compactMap { $0[name] }.filter { $0 is String || $0 is NSNumber }
      let texts = ids.map { "\($0)" }
      guard texts.count == objects.count, Set(texts).count == texts.count else { continue }
      let elements = Dictionary(zip(texts, objects as [Any])) { first, _ in first }
      return Identified(name: name, ids: texts, elements: elements)
    }
    return nil
  }

  /// Returns whether two values are equal in JSON: `true` is not 1 (RFC 8259).
  private static func areEqual(_ left: Any?, _ right: Any?) -> Bool {
    left.map(written) == right.map(written)
  }

  private static func text(_ value: Any) -> String { cut(written(value)) }

  private static func written(_ value: Any) -> String {
    let data = try? JSONSerialization.data(
      withJSONObject: value,
      options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]
    )
    return data.map { String(decoding: $0, as: UTF8.self) } ?? "?"
  }

  // MARK: Text

  private mutating func compare(_ old: String, _ new: String) {
    let left = old.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let right = new.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    guard max(left.count, right.count) <= Self.mostLines else {
      add(Change(place: "", was: "\(left.count) lines", becomes: "\(right.count) lines"))
      return
    }
    let difference = right.difference(from: left)
    var gone: [Int: Substring] = [:]
    for case .remove(let offset, let line, _) in difference.removals { gone[offset] = line }
    for case .insert(let offset, let line, _) in difference.insertions {
      // A line that replaces another is one change.
      let was = gone.removeValue(forKey: offset)
      let place = "line \(offset + 1)"
      add(
        Change(place: place, was: was.map { Self.cut(String($0)) }, becomes: Self.cut(String(line)))
      )
    }
    for (offset, line) in gone.sorted(by: { $0.key < $1.key }) {
      add(Change(place: "line \(offset + 1)", was: Self.cut(String(line)), becomes: nil))
    }
  }

  private static func cut(_ text: String) -> String {
    text.count <= longestValue ? text : text.prefix(longestValue) + "…"
  }
}
