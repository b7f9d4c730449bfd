/// What the panel says of a fault.
package struct FaultText: Hashable, Sendable {
  /// Its name, on the switch.
  package let title: String
  /// What is broken while it is on.
  package let what: String
  /// What a page shows then.
  package let see: String
}

extension Fault {
  /// What the panel of a page says of it.
  package func text(on page: DemoPage) -> FaultText {
    FaultText(title: title, what: what, see: see(on: page))
  }

  private var title: String {
    switch self {
    case .producerDown: "Producer down"
    case .halfFeed: "Half a feed"
    case .producerClock: "Producer’s clock a day ahead"
    case .agentsFrozen: "Agents frozen"
    case .gitHangs: "git hangs"
    case .networkCut: "Network cut"
    case .serverSlow: "Slow server"
    case .serverKilled: "Server killed"
    case .browserClock: "Your clock a day ahead"
    }
  }

  private var what: String {
    switch self {
    case .producerDown: "The producer of realtime answers every request with 503."
    case .halfFeed: "Every publication of the producer ends after half of its bytes."
    case .producerClock: "The producer stamps its publications with tomorrow’s time."
    case .agentsFrozen: "The agents’ simulator is stopped (SIGSTOP): their logs stand still."
    case .gitHangs:
      "The repository’s exclude file is a pipe without a writer: git would wait for it forever."
    case .networkCut:
      "No byte passes between browser and server; connections stay open, as with a pulled cable."
    case .serverSlow: "The server runs 5 ms out of every 100 ms."
    case .serverKilled: "The server was killed (kill -9). It starts again when you mend this."
    case .browserClock: "The clock that this page reads says tomorrow."
    }
  }

  private func see(on page: DemoPage) -> String {
    switch (self, page) {
    case (.producerDown, _), (.halfFeed, _):
      "The delays stay and their age keeps growing. The server itself still answers."
    case (.producerClock, _):
      "No departure moves by a day, and no age is below zero: it counts from when the data reached the server."
    case (.agentsFrozen, _):
      "No card changes any more, and the times on the cards grow. The page stays up to date: this is the state."
    case (.gitHangs, _):
      "Cards whose worktree changes name the file that git cannot read, beside what was known before. Agents are followed as before."
    case (.networkCut, .board), (.networkCut, .worktrees):
      "The age keeps growing from the first moment. When the silence has lasted too long, the page says that the server does not answer."
    case (.networkCut, .jobs), (.serverKilled, .jobs):
      "A job that runs says that the connection is lost; after mending it goes on where it was, and nothing is imported twice."
    case (.serverKilled, .board):
      "The departures stay, their age keeps growing, and the page says that the server cannot be reached."
    case (.serverKilled, .worktrees):
      "The cards stay, their age keeps growing, and the page says that the server cannot be reached."
    case (.serverSlow, .jobs):
      "An import takes long enough to kill the server in the middle of it."
    case (.serverSlow, _): "Answers take longer, and the time that they take counts as age."
    case (.browserClock, _): "Nothing moves: ages are counted by a monotonic clock."
    }
  }
}
