// Written by Scripts/generate-jobs-wire from wire.json.

/// The wire form of the follower.
enum FollowWire {
  /// The version of the form; it grows when the meaning of a message changes.
  static let version: Int32 = 1
  /// The maximum number of words in a message.
  static let longestMessage = 6_662
}

extension EventPosition: WordReadable {
  init(_ words: inout WordReader) throws(WordError) {
    self.init(
      epoch: try words.integer(),
      seq: try words.integer()
    )
  }

  func write(to words: inout WordWriter) throws(WordError) {
    try words.integer(epoch)
    try words.integer(seq)
  }
}

extension FollowMachine.Policy: WordReadable {
  init(_ words: inout WordReader) throws(WordError) {
    self.init(
      backoff: try words.list(1...64, of: Int64.self),
      failuresBeforeFallback: try words.count(),
      retryBestAfter: try words.integer(),
      pollInterval: try words.integer(),
      tokenMargin: try words.integer(),
      silence: try words.integer(),
      longestReconnection: try words.integer(),
      attemptsBeforeSkipping: try words.count()
    )
  }

  func write(to words: inout WordWriter) throws(WordError) {
    try words.count(backoff.count)
    for each in backoff {
      try words.integer(each)
    }
    try words.count(failuresBeforeFallback)
    try words.integer(retryBestAfter)
    try words.integer(pollInterval)
    try words.integer(tokenMargin)
    try words.integer(silence)
    try words.integer(longestReconnection)
    try words.count(attemptsBeforeSkipping)
  }
}

extension FollowMachine.Message: WordReadable {
  init(_ words: inout WordReader) throws(WordError) {
    self.init(
      position: try words.flag() ? try EventPosition(&words) : nil,
      epoch: try words.flag() ? try words.integer() : nil,
      covers: try words.flag() ? try words.integer() : nil,
      at: try words.flag() ? try words.integer() : nil,
      content: try FollowMachine.Message.Content(&words)
    )
  }
}

extension FollowMachine: WordReadable {
  init(_ words: inout WordReader) throws(WordError) {
    self.init(
      policy: try FollowMachine.Policy(&words),
      after: try words.flag() ? try EventPosition(&words) : nil,
      tokenExpiry: try words.flag() ? try words.integer() : nil,
      transport: try FollowMachine.Transport(&words)
    )
  }
}

extension FollowStep: WordReadable {
  init(_ words: inout WordReader) throws(WordError) {
    self.init(
      now: try words.integer(),
      random: try words.bits(),
      event: try FollowMachine.Event(&words)
    )
  }
}

extension FollowOrders {
  func write(to words: inout WordWriter) throws(WordError) {
    try words.count(orders.count)
    for each in orders {
      try each.write(to: &words)
    }
  }
}

extension FollowMachine.Status {
  func write(to words: inout WordWriter) throws(WordError) {
    try transport.write(to: &words)
    try words.flag(position != nil)
    if let position {
      try position.write(to: &words)
    }
    try words.flag(isLive)
    try words.flag(isOver)
  }
}

extension FollowMachine.Transport: WordReadable {
  init(_ words: inout WordReader) throws(WordError) {
    switch try words.integer() {
    case 1: self = .webSocket
    case 2: self = .eventStream
    case 3: self = .polling
    default: throw words.unknownNumber
    }
  }

  func write(to words: inout WordWriter) throws(WordError) {
    switch self {
    case .webSocket: try words.count(1)
    case .eventStream: try words.count(2)
    case .polling: try words.count(3)
    }
  }
}

extension FollowMachine.Message.Content: WordReadable {
  init(_ words: inout WordReader) throws(WordError) {
    switch try words.integer() {
    case 1: self = .other
    case 2: self = .unreadable
    case 3:
      self = .snapshot(
        lastSeq: try words.flag() ? try words.integer() : nil,
        isRecovered: try words.flag()
      )
    case 4: self = .token(expiresAt: try words.flag() ? try words.integer() : nil)
    case 5: self = .ended
    default: throw words.unknownNumber
    }
  }
}

extension FollowMachine.Trouble: WordReadable {
  init(_ words: inout WordReader) throws(WordError) {
    switch try words.integer() {
    case 1: self = .status(status: try words.count())
    case 2: self = .broken
    case 3: self = .closed(code: try words.code(), isLimit: try words.flag())
    case 4: self = .unreadable
    default: throw words.unknownNumber
    }
  }
}

extension FollowMachine.Event: WordReadable {
  init(_ words: inout WordReader) throws(WordError) {
    switch try words.integer() {
    case 1: self = .start
    case 2: self = .opened(attempt: try words.count())
    case 3: self = .received(message: try FollowMachine.Message(&words), attempt: try words.count())
    case 4: self = .heard(attempt: try words.count())
    case 5: self = .reconnects(after: try words.integer(), attempt: try words.count())
    case 6: self = .ended(trouble: try FollowMachine.Trouble(&words), attempt: try words.count())
    case 7:
      self = .polled(
        messages: try words.list(0...512, of: FollowMachine.Message.self),
        isOver: try words.flag(),
        attempt: try words.count()
      )
    case 8: self = .unchanged(attempt: try words.count())
    case 9:
      self = .pollFailed(trouble: try FollowMachine.Trouble(&words), attempt: try words.count())
    case 10: self = .tokenRefreshed(expiresAt: try words.flag() ? try words.integer() : nil)
    case 11: self = .tokenNotRefreshed(trouble: try FollowMachine.Trouble(&words))
    case 12: self = .woke
    default: throw words.unknownNumber
    }
  }
}

extension FollowMachine.Order {
  func write(to words: inout WordWriter) throws(WordError) {
    switch self {
    case .connect(let transport, let after, let attempt):
      try words.count(1)
      try transport.write(to: &words)
      try words.flag(after != nil)
      if let after {
        try after.write(to: &words)
      }
      try words.count(attempt)
    case .disconnect: try words.count(2)
    case .poll(let after, let attempt):
      try words.count(3)
      try words.flag(after != nil)
      if let after {
        try after.write(to: &words)
      }
      try words.count(attempt)
    case .refreshToken: try words.count(4)
    case .wake(let after):
      try words.count(5)
      try words.integer(after)
    case .deliver(let index):
      try words.count(6)
      try words.count(index)
    case .deliverEnd: try words.count(7)
    case .finish(let ending):
      try words.count(8)
      try ending.write(to: &words)
    }
  }
}

extension FollowMachine.Ending {
  func write(to words: inout WordWriter) throws(WordError) {
    switch self {
    case .ended: try words.count(1)
    case .unknownJob: try words.count(2)
    case .expired: try words.count(3)
    case .unauthorized: try words.count(4)
    }
  }
}
