import Testing

@testable import Git

/// Text with `|` for the NUL that ends a record.
func records(_ text: String) -> [UInt8] { text.utf8.map { $0 == UInt8(ascii: "|") ? 0 : $0 } }

@Suite struct WorktreeStatusTests {
  static let oid = "1234567890123456789012345678901234567890"
  static let modes = "100644 100644 100644 \(oid) \(oid)"
  static let sample = records(
    "# branch.oid \(oid)|# branch.head work/one|# branch.upstream origin/work|# branch.ab +2 -13|"
      + "# stash 3|# later.header of git|1 M. N... \(modes) staged one.txt|1 .M N... \(modes) edited|"
      + "1 MM S..U \(modes) both|2 R. N... \(modes) R97 new name|old name|"
      + "u UU N... 100644 100644 100644 100644 \(oid) \(oid) \(oid) torn in two|? new.txt|? new folder/|! ignored|"
  )

  @Test func `Every kind of record counts where it belongs`() throws {
    let status = try WorktreeStatusReader.status(of: Self.sample)
    #expect(status.head == Self.oid)
    #expect(status.branch == "work/one")
    #expect(status.upstream == "origin/work")
    #expect(status.ahead == 2)
    #expect(status.behind == 13)
    #expect(status.stashes == 3)
    #expect(status.staged == 3)
    #expect(status.unstaged == 2)
    #expect(status.untracked == 2)
    #expect(status.conflictCount == 1)
    #expect(status.conflicts == ["torn in two"])
    #expect(status.untrackedFolders == ["new folder/"])
    #expect(status.isDirty)
  }

  @Test func `A status reads the same however it is split`() throws {
    let whole = try WorktreeStatusReader.status(of: Self.sample)
    for cut in Self.sample.indices {
      var reader = WorktreeStatusReader()
      try reader.consume(Self.sample[..<cut])
      try reader.consume(Self.sample[cut...])
      try expectSame(reader.end(), whole)
    }
    var reader = WorktreeStatusReader()
    for byte in Self.sample { try reader.consume([byte]) }
    try expectSame(reader.end(), whole)
  }

  @Test func `A status that is cut off is an error, wherever it is cut`() {
    for cut in Self.sample.indices.dropLast() {
      // A cut between two records leaves a shorter status, but for the old path of a rename.
      let isBetween = cut > 0 && Self.sample[cut - 1] == 0
      let ends = records("old name|")
      let beforeOld = Self.sample[cut...].starts(with: ends)
      guard !isBetween || cut == 0 || beforeOld else { continue }
      #expect(throws: GitOutputError.self, "cut at \(cut)") {
        try WorktreeStatusReader.status(of: Self.sample[..<cut])
      }
    }
  }

  @Test func `No commit, no branch and no changes are told apart`() throws {
    let first = try WorktreeStatusReader.status(
      of: records("# branch.oid (initial)|# branch.head main|")
    )
    #expect(first.head == nil)
    #expect(first.branch == "main")
    #expect(!first.isDirty)
    let detached = try WorktreeStatusReader.status(
      of: records("# branch.oid \(Self.oid)|# branch.head (detached)|")
    )
    #expect(detached.head == Self.oid)
    #expect(detached.branch == nil)
    #expect(detached.ahead == nil)
  }

  @Test(arguments: [
    "1 M. N... too few|", "2 R. N... 1 2 3 4 5 R1 new|", "1 MMM N... \(modes) x|", "x what|", "|",
    "? |",
    "u UU N...|", "# branch.ab 2 -1|", "# stash many|",
  ])
  func `A record that is not of the format is an error with its number`(_ record: String) {
    let start = "# branch.oid \(Self.oid)|"
    let error = #expect(throws: GitOutputError.self) {
      try WorktreeStatusReader.status(of: records(start + record))
    }
    #expect(error?.record == 2)
  }

  @Test func `Hostile names and endless records do no harm`() throws {
    var bytes = records("# branch.oid \(Self.oid)|? ")
    bytes += [0xFF, 0x0A, 0x1B, 0xC0, 0x00]
    #expect(try WorktreeStatusReader.status(of: bytes).untracked == 1)
    var reader = WorktreeStatusReader()
    let error = #expect(throws: GitOutputError.self) {
      for _ in 0...GitLimits.recordBytes / 1_024 {
        try reader.consume([UInt8](repeating: 0x61, count: 1_024))
      }
    }
    #expect(error?.problem.contains("\(GitLimits.recordBytes)") == true)
    var many = records("# branch.oid \(Self.oid)|")
    for number in 0..<GitLimits.conflictNames + 5 {
      many += records("u AA N... 1 1 1 1 \(Self.oid) \(Self.oid) \(Self.oid) path \(number)|")
    }
    let status = try WorktreeStatusReader.status(of: many)
    #expect(status.conflicts.count == GitLimits.conflictNames)
    #expect(status.conflictCount == GitLimits.conflictNames + 5)
  }

  @Test func `Random bytes are a status or an error, never a trap`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2_000 {
      var bytes = Self.sample
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let place = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: place)
        default: bytes.insert(0, at: place)
        }
      }
      _ = try? WorktreeStatusReader.status(of: bytes)
      _ = try? WorktreeEntry.list(bytes)
      _ = try? GitRefs(bytes)
      _ = try? ChangedPath.list(nameStatus: bytes, numstat: bytes)
      _ = UnifiedDiff.files(bytes)
      _ = try? CommitCounts(bytes)
    }
  }
}
