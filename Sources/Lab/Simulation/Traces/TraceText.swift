import Freshness

/// A trace as readable text: one step per line.
enum TraceText {
  /// Writes the steps of a replay.
  static func lines(_ taken: [Trace.Taken]) -> [String] {
    let width = "\(taken.last?.at ?? 0)".count
    return taken.map { step in
      let at = "\(step.at)"
      let spaces = String(repeating: " ", count: width - at.count)
      var text = "\(spaces)\(at) ms  \(TraceJSON.name(step.event))"
      if let values = TraceJSON.values(step.event) {
        text += " " + JSONText.object(values).line.filter { $0 != "\"" }
      }
      if step.random != .middle { text += "  random \(step.random.bits)" }
      return text
    }
  }
}
