package import Agents
import Dispatch
import Foundation
import Synchronization
package import Workspaces

/// Watches agents in worktrees, read-only: a thread that scans and reports differences.
///
/// It opens files for reading only and never writes; the caller stores read receipts. A scan costs one `stat` for each
/// followed log and one small read for each agent process; twice a second, folders and processes are searched for new
/// ones.
package final class AgentWatch: AgentWatching {
  /// What others want of the thread.
  private struct Inbox {
    var worktrees: [String]?
    var seen: [(worktree: String, at: WallTime)] = []
    var isStarted = false
    var isStopped = false
  }

  private let scan: AgentScan
  private let tick: Int64
  private let now: @Sendable () -> WallTime
  private let seenAt: NameTable<WallTime>
  private let receipts: Receipts
  private let inbox = Mutex(Inbox())
  private let bell = DispatchSemaphore(value: 0)

  /// A watch that has not begun.
  ///
  /// - Parameters:
  ///   - folders: The folders of logs.
  ///   - processes: The process file system.
  ///   - limits: What is read, and how often.
  ///   - thresholds: The waiting times.
  ///   - now: The clock that agents write into their logs.
  ///   - seenAt: The read receipts of an earlier run.
  ///   - remember: Stores the read receipts whenever they change, before ``markSeen(_:)`` returns.
  package init(
    _ folders: AgentFolders,
    processes: String = "/proc",
    limits: AgentWatchLimits = AgentWatchLimits(),
    thresholds: ActivityThresholds = ActivityThresholds(),
    now: @escaping @Sendable () -> WallTime = AgentWatch.systemClock,
    seenAt: NameTable<WallTime> = [:],
    remember: @escaping @Sendable (NameTable<WallTime>) -> Void = { _ in }
  ) {
    scan = AgentScan(folders, processes: processes, limits: limits, thresholds: thresholds)
    tick = limits.tick
    self.now = now
    self.seenAt = seenAt
    receipts = Receipts(seenAt, remember)
  }

  /// The machine's clock.
  package static let systemClock: @Sendable () -> WallTime = {
    WallTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
  }

  package func follow(_ paths: [String]) async {
    inbox.withLock { $0.worktrees = paths }
    bell.signal()
  }

  package func markSeen(_ path: String) async {
    let at = now()
    await receipts.mark(path, at: at)
    inbox.withLock { $0.seen.append((path, at)) }
    bell.signal()
  }

  package func readings() -> AsyncStream<(path: String, reading: AgentReading)> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: (path: String, reading: AgentReading).self
    )
    let isFirst = inbox.withLock { inbox in
      defer { inbox.isStarted = true }
      return !inbox.isStarted
    }
    guard isFirst else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [self] _ in
      inbox.withLock { $0.isStopped = true }
      bell.signal()
    }
    let thread = Thread { [self] in run(continuation) }
    thread.name = "agents"
    thread.start()
    return stream
  }

  /// The latest receipts, up to the limit: worktrees come and go during the life of a server.
  package static func latest(_ seenAt: NameTable<WallTime>) -> NameTable<WallTime> {
    guard seenAt.count > AgentWatchLimits.mostReceipts else { return seenAt }
    let latest = seenAt.sorted { one, other in
      one.value == other.value ? other.key.isNameBefore(one.key) : one.value > other.value
    }
    return NameTable(latest.prefix(AgentWatchLimits.mostReceipts).map { ($0.key, $0.value) })
  }

  private func run(
    _ continuation: AsyncStream<(path: String, reading: AgentReading)>.Continuation
  ) {
    var scan = scan
    var shown: NameTable<AgentReading> = [:]
    var isFollowing = false
    var seenAt = seenAt
    var followed: NameSet = []
    while true {
      let mail = inbox.withLock { inbox in
        defer {
          inbox.worktrees = nil
          inbox.seen = []
        }
        return inbox
      }
      guard !mail.isStopped else { break }
      if let worktrees = mail.worktrees {
        isFollowing = true
        scan.follow(worktrees)
        let (instant, known) = (now(), NameSet(worktrees))
        for (worktree, at) in seenAt
        where known.contains(worktree) && !followed.contains(worktree) && at <= instant {
          scan.markSeen(worktree, at: at)
        }
        followed = known
      }
      for (worktree, at) in mail.seen {
        scan.markSeen(worktree, at: at)
        seenAt[worktree] = at
      }
      if !mail.seen.isEmpty { seenAt = Self.latest(seenAt) }
      var isBehind = false
      if isFollowing {
        let (readings, rest) = scan.run(at: now())
        isBehind = rest
        // A partly read log shows an incomplete state: nothing is reported before all of it was
        // read.
        if !isBehind {
          for (path, reading) in readings where shown[path] != reading {
            continuation.yield((path, reading))
          }
          shown = readings
        }
      }
      if !isBehind { _ = bell.wait(timeout: .now() + .milliseconds(Int(tick))) }
    }
    continuation.finish()
  }
}

/// The read receipts as they are stored, one change after the other.
private actor Receipts {
  private var seenAt: NameTable<WallTime>
  private let remember: @Sendable (NameTable<WallTime>) -> Void

  init(
    _ seenAt: NameTable<WallTime>,
    _ remember: @escaping @Sendable (NameTable<WallTime>) -> Void
  ) {
    self.seenAt = seenAt
    self.remember = remember
  }

  /// Stores that a worktree was seen.
  func mark(_ worktree: String, at time: WallTime) {
    seenAt[worktree] = time
    seenAt = AgentWatch.latest(seenAt)
    remember(seenAt)
  }
}
