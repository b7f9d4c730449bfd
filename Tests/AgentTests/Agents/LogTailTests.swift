import AgentSimulation
import Agents
import Hashing
import Testing

struct LogTailTests {
  /// A file in memory that a tail follows.
  private struct Followed {
    var tail: LogTail
    var bytes: [UInt8] = []
    var inode: UInt64 = 1
    var modified: Int64 = 0

    init(limits: AgentLimits = AgentLimits()) { tail = LogTail(limits: limits) }

    /// Lets the tail read what is new, at most some bytes at a time.
    mutating func scan(piece: Int = .max) -> [LogTail.Finding] {
      let stamp = LogTail.Stamp(
        device: 1,
        inode: inode,
        size: Int64(bytes.count),
        modified: modified
      )
      var findings = tail.see(stamp)
      while let request = tail.request {
        let start = Int(request.from)
        let overlap = Int(tail.position) - start
        let count = min(request.count, piece == .max ? .max : overlap + piece)
        let end = min(start + count, bytes.count)
        findings += tail.handle(Array(bytes[start..<end]), at: request.from)
      }
      return findings
    }

    mutating func append(_ text: String) -> [LogTail.Finding] {
      bytes += Array(text.utf8)
      modified += 1
      return scan()
    }
  }

  private func line(_ text: String) -> LogTail.Finding { .line(Array(text.utf8)) }

  @Test func `lines come out whole, however the file is cut into reads`() {
    let text = "{\"a\":1}\n\r\n  \n{\"b\":\"ü 🚉\"}\r\nlast\n"
    for piece in 1...text.utf8.count {
      var file = Followed()
      file.bytes = Array(text.utf8)
      #expect(
        file.scan(piece: piece) == [line("{\"a\":1}"), line("{\"b\":\"ü 🚉\"}"), line("last")]
      )
    }
  }

  @Test func `lines come out once, however the file grows`() {
    let bytes = Array("one\ntwo\r\nthree\nfour".utf8)
    for cut in 0...bytes.count {
      for second in cut...bytes.count {
        var file = Followed()
        var findings: [LogTail.Finding] = []
        for end in [cut, second, bytes.count] {
          file.bytes = Array(bytes[..<end])
          file.modified += 1
          findings += file.scan()
        }
        #expect(findings == [line("one"), line("two"), line("three")])
      }
    }
  }

  @Test func `a line that has not ended waits for its end`() {
    var file = Followed()
    #expect(file.append("{\"type\":\"us").isEmpty)
    #expect(file.append("er\"}") == [])
    #expect(file.append("\n{") == [line("{\"type\":\"user\"}")])
    #expect(file.tail.request == nil)
  }

  @Test func `a giant line is counted, never held, and the next one is read`() {
    var limits = AgentLimits()
    limits.longestLine = 10
    var file = Followed(limits: limits)
    #expect(file.append("0123456789\n") == [line("0123456789")])
    #expect(file.append("01234567890123") == [])
    #expect(file.append("45\nnext\n") == [.oversized(bytes: 16), line("next")])
  }

  @Test func `five megabytes in one line are read`() {
    var file = Followed()
    let text = String(repeating: "x", count: 5 << 20)
    #expect(file.append(text + "\nnext\n") == [line(text), line("next")])
  }

  @Test func `another file with the same name is read from its beginning`() {
    var file = Followed()
    #expect(file.append("one\ntw") == [line("one")])
    file.inode = 2
    file.bytes = Array("new one, longer than before\n".utf8)
    #expect(file.scan() == [.restarted(.rotated), line("new one, longer than before")])
  }

  @Test func `a file that became shorter is read from its beginning`() {
    var file = Followed()
    #expect(file.append("one\ntwo\n") == [line("one"), line("two")])
    file.bytes = Array("x\n".utf8)
    #expect(file.scan() == [.restarted(.truncated), line("x")])
  }

  @Test func `a file that was rewritten and became longer is read from its beginning`() {
    var file = Followed()
    #expect(file.append("one\ntwo\n") == [line("one"), line("two")])
    file.bytes = Array("ONE\ntwo\nthree\n".utf8)
    #expect(
      file.scan() == [.restarted(.rewritten), line("ONE"), line("two"), line("three")]
    )
  }

  @Test func `a file that was rewritten with the same length is read again`() {
    var file = Followed()
    #expect(file.append("one\n") == [line("one")])
    file.bytes = Array("two\n".utf8)
    file.modified += 1
    #expect(file.scan() == [.restarted(.rewritten), line("two")])
    #expect(file.scan() == [])
  }

  @Test func `a file that shrinks between the scan and the read starts again`() {
    var tail = LogTail()
    _ = tail.see(LogTail.Stamp(device: 1, inode: 1, size: 4, modified: 1))
    #expect(tail.handle(Array("one\n".utf8), at: 0) == [line("one")])
    _ = tail.see(LogTail.Stamp(device: 1, inode: 1, size: 8, modified: 2))
    #expect(tail.handle(Array("o".utf8), at: 0) == [.restarted(.truncated)])
    #expect(tail.request?.from == 0)
  }

  @Test func `bytes that were not asked for are left alone`() {
    var tail = LogTail()
    #expect(tail.handle(Array("one\n".utf8), at: 0) == [])
    _ = tail.see(LogTail.Stamp(device: 1, inode: 1, size: 4, modified: 1))
    #expect(tail.handle(Array("one\n".utf8), at: 2) == [])
    #expect(tail.request?.from == 0)
    #expect(tail.request?.count == 4)
  }

  @Test func `of a long file the end is read, from its first whole line`() {
    var limits = AgentLimits()
    limits.reach = 10
    var file = Followed(limits: limits)
    file.bytes = Array("first\nsecond\nthird\n".utf8)
    #expect(file.scan() == [.skipped(bytes: 9), line("third")])
    #expect(file.append("fourth\n") == [line("fourth")])
  }

  @Test func `a file in random pieces with random rewrites loses no line that was written whole`() {
    var generator = SplitMix64(seed: 5)
    for _ in 0..<200 {
      var file = Followed()
      var written: [LogTail.Finding] = []
      var read: [LogTail.Finding] = []
      for number in 0..<20 {
        let text =
          "line \(number) "
          + String(repeating: "y", count: Int.random(in: 0..<80, using: &generator))
        if generator.happens(10), file.tail.position > 0 {
          read += file.scan()
          file.inode += 1
          file.bytes = []
          written.append(.restarted(.rotated))
        }
        let bytes = Array((text + "\n").utf8)
        let cut = Int.random(in: 0...bytes.count, using: &generator)
        file.bytes += bytes[..<cut]
        read += file.scan(piece: Int.random(in: 1...50, using: &generator))
        file.bytes += bytes[cut...]
        written.append(line(text))
        if generator.happens(50) { read += file.scan() }
      }
      read += file.scan()
      #expect(read == written)
    }
  }
}
