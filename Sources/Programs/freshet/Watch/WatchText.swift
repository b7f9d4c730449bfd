import Commands
import Foundation
import Freshness
import FreshnessRuntime

/// The events of a document, for people: a line for each event, and the freshness line.
///
/// On a terminal the freshness line stays at the bottom and counts the seconds; elsewhere it follows
/// each event.
struct WatchText: WatchPrinting {
  let document: WatchedDocument
  let showsBody: Bool
  private let redraws = Terminal.canRedraw
  private let hasColor = Terminal.hasColor
  private var copy: DocumentCopy?
  private var failure: LiveFailure?
  private var failingSince: ContinuousClock.Instant?
  private var changedAt: ContinuousClock.Instant?
  private var lastBar = ""
  private var counters = Counters()

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
    self.counters = counters
    var lines: [String] = []
    var isChange = false
    switch happening {
    case .seen:
      guard let snapshot else { return nil }
      isChange = report(of: snapshot, freshness, in: &lines)
      failures(snapshot, in: &lines)
    case .asked, .tick: break
    }
    guard redraws else {
      guard !lines.isEmpty else { return nil }
      if let freshness { lines.append("  \(bar(freshness))") }
      return WatchMessages(text: lines.joined(separator: "\n") + "\n", isChange: isChange)
    }
    let bar = freshness.map { self.bar($0) } ?? "…"
    guard !lines.isEmpty || bar != lastBar else { return nil }
    lastBar = bar
    let told = lines.map { "\r\u{1B}[K\($0)\n" }.joined()
    let line = Terminal.fit(bar, max(Terminal.size.columns - 1, 20))
    return WatchMessages(text: "\(told)\r\u{1B}[K\(colored(line))", isChange: isChange)
  }

  mutating func end(_ counters: Counters) -> String? {
    self.counters = counters
    let bytes = Quantity.bytes(Int(counters.bytes))
    let sum = "\(asked), \(counters.unchangedPercent) % not modified, \(bytes) of bodies\n"
    return (redraws ? "\r\u{1B}[K" : "") + sum
  }

  private var asked: String {
    counters.requests == 1 ? "1 request" : "\(counters.requests) requests"
  }

  // MARK: Events

  private mutating func report(
    of snapshot: LiveSnapshot<DocumentCopy>,
    _ freshness: FreshnessReport?,
    in lines: inout [String]
  ) -> Bool {
    guard let new = snapshot.value, new != copy else { return false }
    // The time of its arrival, not of printing.
    let now = ContinuousClock.now - (freshness?.changedAgo?.duration ?? .zero)
    if let old = copy {
      let after = changedAt.map { Self.span($0.duration(to: now)) } ?? ""
      let difference = DocumentDifference(from: old, to: new)
      let what = difference.isOfFormOnly ? "written differently" : "changed"
      lines.append("\(Self.time())  \(what) after \(after)\(Self.tag(new))")
      lines += difference.changes.map { Self.text($0) }
      if difference.more > 0 { lines.append("    and \(difference.more) more") }
    } else {
      let type = new.type.isEmpty ? "unknown type" : Terminal.plain(new.type)
      let size = Quantity.bytes(new.bytes.count)
      lines.append("\(Self.time())  first copy: \(size), \(type)\(Self.tag(new))")
    }
    if showsBody, let text = new.text {
      lines += text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map {
        Terminal.plain(String($0))
      }
    }
    changedAt = now
    copy = new
    return true
  }

  private mutating func failures(
    _ snapshot: LiveSnapshot<DocumentCopy>,
    in lines: inout [String]
  ) {
    defer { failure = snapshot.failure }
    if let now = snapshot.failure {
      if failingSince == nil { failingSince = .now }
      guard now.description != failure?.description else { return }
      lines.append("\(Self.time())  failing: \(Terminal.plain(now.description))")
    } else if let since = failingSince {
      failingSince = nil
      lines.append("\(Self.time())  recovered after \(Self.span(since.duration(to: .now)))")
    }
  }

  // MARK: The freshness line

  /// Returns how old the copy is, and what the engine does next (R28).
  private func bar(_ freshness: FreshnessReport) -> String {
    var parts: [String] = []
    if let wording = freshness.label.wording {
      parts.append("updated \(Self.text(wording)) ago")
    } else {
      parts.append("no copy yet")
    }
    if let changed = freshness.changedAgo {
      parts.append("changed \(Self.text(Age.wording(changed))) ago")
    }
    if freshness.isStreaming { parts.append("live stream") }
    if freshness.isRequesting {
      parts.append("requesting …")
    } else if let next = freshness.nextActionIn, !freshness.isStreaming {
      let seconds = (next.milliseconds + 999) / 1_000
      parts.append(failure == nil ? "next in \(seconds) s" : "next try in \(seconds) s")
    }
    if let failure { parts.append(Terminal.plain(String(failure.description.prefix(200)))) }
    parts.append("\(asked), \(counters.unchanged) × 304")
    return "\(mark) \(parts.joined(separator: " · "))"
  }

  private var mark: String { failure != nil ? "✗" : copy == nil ? "○" : "●" }

  private func colored(_ bar: String) -> String {
    guard hasColor, failure != nil || copy != nil else { return bar }
    return "\u{1B}[\(failure == nil ? 32 : 31)m\(bar.prefix(1))\u{1B}[0m\(bar.dropFirst())"
  }

  // MARK: Text

  private static func text(_ wording: Age.Wording) -> String {
    switch wording {
    case .seconds(let count): "\(count) s"
    case .minutes(let count): "\(count) min"
    case .hours(let count): "\(count) h"
    }
  }

  private static func text(_ change: DocumentDifference.Change) -> String {
    let place = change.place.isEmpty ? "" : "\(change.place): "
    let text: String =
      switch (change.was, change.becomes) {
      case (let was?, let becomes?): "\(was) → \(becomes)"
      case (nil, let becomes?): "new: \(becomes)"
      case (let was?, nil): "gone: \(was)"
      case (nil, nil): ""
      }
    return Terminal.plain("    \(place)\(text)")
  }

  private static func tag(_ copy: DocumentCopy) -> String {
    copy.entityTag.map { ", \(Terminal.plain(String($0.prefix(40))))" } ?? ""
  }

  private static func span(_ duration: Duration) -> String {
    let milliseconds =
      duration.components.seconds * 1_000 + duration.components.attoseconds / 1_000_000_000_000_000
    guard milliseconds >= 10_000 else { return "\(Double(milliseconds / 100) / 10) s" }
    return text(Age.wording(.milliseconds(milliseconds)))
  }

  private static func time() -> String {
    let time = Calendar.current.dateComponents([.hour, .minute, .second], from: Date())
    return [time.hour, time.minute, time.second].map { number in
      let digits = String(number ?? 0)
      return digits.count < 2 ? "0\(digits)" : digits
    }.joined(separator: ":")
  }
}
