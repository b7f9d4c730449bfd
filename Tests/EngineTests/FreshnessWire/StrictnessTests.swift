import Freshness
import FreshnessWire
import Testing

@Suite("Strictness")
struct StrictnessTests {
  @Test
  func `Every message that is cut short is refused at its end`() throws {
    var generator = RandomSource(seed: 11)
    for round in 0..<400 {
      let words = try generator.event(kind: round % RandomSource.eventKinds).words()
      for length in 0..<words.count {
        #expect(throws: WireError(.tooShort, at: Int32(length))) {
          try Event(words: Array(words[..<length]))
        }
      }
      #expect(throws: WireError(.tooLong, at: Int32(words.count))) { try Event(words: words + [1]) }
    }
    let policy = try generator.policy().words()
    for length in policy.indices {
      #expect(throws: WireError(.tooShort, at: Int32(length))) {
        try Policy(words: Array(policy[..<length]))
      }
    }
  }

  @Test
  func `A hundred thousand messages of random words are read or refused`() throws {
    var generator = RandomSource(seed: 12)
    var accepted = 0
    for _ in 0..<100_000 {
      let words = (0..<generator.below(60)).map { _ in generator.word() }
      // What is read must be the exact message: nothing is guessed or repaired.
      if let event = try? Event(words: words) {
        accepted += 1
        try #require(try event.words() == words)
      }
      if let policy = try? Policy(words: words) { try #require(try policy.words() == words) }
    }
    #expect(accepted > 100)
  }

  @Test
  func `A hundred thousand spoilt messages are read or refused, and none harms the machine`() throws
  {
    var generator = RandomSource(seed: 13)
    var wired = try WireMachine(words: Context(question: 1).words() + Policy.workspaces.words())
    var refused = 0
    var codes: Set<WireError.Code> = []
    for _ in 0..<100_000 {
      var words =
        try [generator.instant().milliseconds, Int64(generator.randomSample().bits)]
        + generator.event(kind: generator.below(RandomSource.eventKinds)).words()
      for _ in 0...generator.below(3) { words[generator.below(words.count)] = generator.word() }
      let answer: [Int64]
      do {
        answer = try wired.handle(words)
      } catch {
        refused += 1
        codes.insert(error.code)
        try #require((0...Int32(words.count)).contains(error.position))
        continue
      }
      _ = try Effects(words: answer)
    }
    #expect(refused > 20_000 && refused < 100_000)
    #expect(codes == [.tooShort, .tooLong, .unknownNumber, .outOfRange])
  }

  @Test(arguments: [
    (-1, "a negative interval"), (Wire.limit + 1, "an interval beyond the limit"),
    (Wire.none, "no interval"),
  ])
  func `A policy with a bad interval is refused with its place`(word: Int64, name: String) throws {
    var words = try Policy.jobs.words()
    words[0] = word
    #expect(throws: WireError(.outOfRange, at: 0)) { try Policy(words: words) }
  }

  @Test
  func `A ladder that is too long is refused at its length`() throws {
    var policy = Policy(every: .seconds(1))
    policy.ladder = Array(repeating: .seconds(1), count: Int(Wire.longestLadder) + 1)
    let words = try policy.words()
    // Before the ladder: five lengths, a jitter without values, eight lengths.
    #expect(throws: WireError(.outOfRange, at: 14)) { try Policy(words: words) }
  }

  @Test
  func `More bytes than may be counted are refused`() throws {
    var answer = Answer(.unchanged)
    answer.bytes = Wire.mostBytes + 1
    #expect(throws: WireError(.outOfRange, at: 2)) { try Answer(words: answer.words()) }
    answer.bytes = -1
    #expect(throws: WireError(.outOfRange, at: 2)) { try Answer(words: answer.words()) }
  }
}

extension RandomSource {
  /// A word as bad hosts send it.
  mutating func word() -> Int64 {
    switch below(10) {
    case 0: Int64(bitPattern: next())
    case 1: Wire.none
    case 2: pick([.max, Wire.limit, -Wire.limit, Wire.limit + 1, -Wire.limit - 1])
    case 3: -Int64(below(30))
    default: Int64(below(30))
    }
  }
}
