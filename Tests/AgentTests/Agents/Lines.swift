import Agents

/// A log that is fed line by line.
struct Lines<Log: AgentLog> {
  var log: Log

  init(limits: AgentLimits = AgentLimits()) { log = Log(limits: limits) }

  var session: AgentSession { log.session }

  mutating func read(_ lines: String...) {
    for line in lines { log.handle(.line(Array(line.utf8))) }
  }

  /// Reads what a writer wrote.
  mutating func read(_ lines: [[UInt8]]) {
    var tail = LogTail()
    let bytes = Array(lines.joined())
    var findings = tail.see(
      LogTail.Stamp(device: 1, inode: 1, size: Int64(bytes.count), modified: 1)
    )
    while let request = tail.request {
      let end = Int(request.from) + request.count
      findings += tail.handle(Array(bytes[Int(request.from)..<end]), at: request.from)
    }
    for finding in findings { log.handle(finding) }
  }
}

/// An instant some seconds after the beginning of the tests' time.
func second(_ seconds: Double) -> WallTime {
  WallTime(milliseconds: 1_790_000_000_000 + Int64(seconds * 1_000))
}
