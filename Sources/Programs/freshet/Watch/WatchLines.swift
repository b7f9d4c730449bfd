import Foundation
import Freshness
import FreshnessRuntime

/// The events of a document, for programs: JSON Lines.
///
/// Events: `request` (a sample), `changed` (with `first`, `differences` and, on request, `body`),
/// `failing`, `recovered`. All but `request` include the freshness at that time.
struct WatchLines: WatchPrinting {
  let document: WatchedDocument
  let showsBody: Bool
  private var copy: DocumentCopy?
  private var failure: LiveFailure?

  init(document: WatchedDocument, showsBody: Bool) {
    self.document = document
    self.showsBody = showsBody
  }

  mutating func text(
    _ happening: Happening,
    _ snapshot: LiveSnapshot<DocumentCopy>?,
    freshness: FreshnessReport?,
    counters: Counters
  ) -> WatchMessages? {
    switch happening {
    case .tick: return nil
    case .asked(let record):
      return WatchMessages(text: "{\"event\":\"request\",\(record.line.dropFirst())\n")
    case .seen:
      guard let snapshot else { return nil }
      var lines: [[String: Any]] = []
      let isChange = changed(snapshot, in: &lines)
      failing(snapshot, in: &lines)
      guard !lines.isEmpty else { return nil }
      let texts = lines.map { Self.text($0.merging(Self.members(freshness)) { own, _ in own }) }
      return WatchMessages(text: texts.joined(), isChange: isChange)
    }
  }

  func end(_ counters: Counters) -> String? { nil }

  private mutating func changed(
    _ snapshot: LiveSnapshot<DocumentCopy>,
    in lines: inout [[String: Any]]
  ) -> Bool {
    guard let new = snapshot.value, new != copy else { return false }
    var line: [String: Any] = [
      "event": "changed", "first": copy == nil, "bytes": new.bytes.count, "type": new.type,
    ]
    line["entityTag"] = new.entityTag
    if let old = copy {
      let difference = DocumentDifference(from: old, to: new)
      line["differences"] = difference.changes.map { change in
        var entry: [String: Any] = ["place": change.place]
        entry["was"] = change.was
        entry["becomes"] = change.becomes
        return entry
      }
      line["more"] = difference.more
    }
    if showsBody { line["body"] = new.text ?? Data(new.bytes).base64EncodedString() }
    copy = new
    lines.append(line)
    return true
  }

  private mutating func failing(
    _ snapshot: LiveSnapshot<DocumentCopy>,
    in lines: inout [[String: Any]]
  ) {
    defer { failure = snapshot.failure }
    if let now = snapshot.failure {
      guard now.description != failure?.description else { return }
      var line: [String: Any] = [
        "event": "failing", "says": now.description, "kind": now.kind.name,
      ]
      line["status"] = now.status
      lines.append(line)
    } else if failure != nil {
      lines.append(["event": "recovered"])
    }
  }

  private static func members(_ freshness: FreshnessReport?) -> [String: Any] {
    guard let freshness else { return [:] }
    var members: [String: Any] = [
      "isStreaming": freshness.isStreaming, "failuresInARow": freshness.failuresInARow,
    ]
    members["ageMs"] = freshness.label.age?.milliseconds
    members["changedAgoMs"] = freshness.changedAgo?.milliseconds
    members["verifiedAgoMs"] = freshness.verifiedAgo?.milliseconds
    members["nextInMs"] = freshness.isRequesting ? nil : freshness.nextActionIn?.milliseconds
    return members
  }

  private static func text(_ line: [String: Any]) -> String {
    let data = try? JSONSerialization.data(
      withJSONObject: line,
      options: [.sortedKeys, .withoutEscapingSlashes]
    )
    return data.map { String(decoding: $0, as: UTF8.self) + "\n" } ?? ""
  }
}
