import Freshness
import Hashing

/// A server as it is deployed, for the measures of R31: it polls the producer, writes its source
/// times and `Date` in whole seconds, answers 304, and some of its answers take long.
struct DeployedServer: Sendable {
  /// The interval at which it polls the producer, in milliseconds; 3 % more or less.
  var polls: Int64
  /// Whether it gives source times.
  ///
  /// A plain file server states only `Date`, and `max-age` in whole seconds, rounded up.
  var datesSource = true
  /// The latest that a publication appears after its time in the rhythm, in permille of the period.
  static let latePermille: Int64 = 120

  /// Returns when it has each publication.
  ///
  /// - Parameters:
  ///   - made: The source times in order.
  ///   - random: The random source.
  /// - Returns: The times in the same order.
  func had(_ made: [Int64], _ random: inout SplitMix64) -> [Int64] {
    guard polls > 0, var now = made.first else { return made }
    now -= random.below(polls)
    return made.map { time in
      while now < time { now += polls + random.between(-polls * 3 / 100, polls * 3 / 100) }
      return now + Self.reading
    }
  }

  /// How long it takes to read a publication.
  private static let reading: Int64 = 60

  /// Returns the source time that it gives for a publication: whole seconds.
  func stamp(_ made: Int64) -> Int64 {
    let rest = made % 1_000
    return made - (rest < 0 ? rest + 1_000 : rest)
  }

  /// Returns the announcement of the next publication: by then, eight of the last ten were here.
  ///
  /// - Parameters:
  ///   - number: The newest publication.
  ///   - made: When publications were made.
  ///   - had: When the server had them.
  ///   - now: The time of the answer.
  /// - Returns: The time of the next one, or `nil` if it is unknown or past.
  func announced(_ number: Int, made: [Int64], had: [Int64], at now: Int64) -> Int64? {
    guard datesSource else {
      // It knows when it writes its file again.
      guard number + 1 < made.count, made[number + 1] > now else { return nil }
      return now + (made[number + 1] - now + 999) / 1_000 * 1_000
    }
    guard number > 0 else { return nil }
    let waits = (max(1, number - 9)...number).map { had[$0] - stamp(made[$0 - 1]) }.sorted()
    let rank = (waits.count * 8 + 9) / 10
    let next = stamp(made[number]) + waits[min(max(rank, 1), waits.count) - 1]
    return next > now ? next : nil
  }

  /// Returns the delay that an answer has in excess of the path: one in twenty is slow.
  func stall(_ random: inout SplitMix64) -> Int64 {
    random.oneIn(20) ? random.between(300, 3_000) : 0
  }
}

extension ProducerWorld {
  /// Producers behind deployed servers.
  static let deployed: [ProducerWorld] = [3_000, 15_000, 20_000, 30_000].flatMap { period in
    [
      ("real server, told at once", DeployedServer(polls: 200)),
      ("real server", DeployedServer(polls: 15_000)),
      ("real file server", DeployedServer(polls: 0, datesSource: false)),
    ].map { name, server in
      ProducerWorld(name: name, period: period, timing: .late, server: server)
    }
  }
}
