package import Git
import Glibc
import Synchronization

/// Watches folders with inotify(7), on a thread of its own.
package final class Inotify: Sendable {
  /// An event in a folder.
  package struct Event: Sendable {
    /// The number of the watch; -1 if the kernel lost events, of any watch.
    package var watch: Int32
    /// The name in the folder; empty for the folder itself.
    package var name: String
    /// Whether the folder itself is gone or elsewhere, so that its watch has ended.
    package var isEnd: Bool
    /// The change to the name.
    package var change: WatchPlan.Change
  }

  /// Why a folder cannot be watched.
  package enum Refusal: Error, Hashable, Sendable {
    /// The system's limit of watches is reached, or the share of it that is used.
    case noRoom
    /// The folder does not exist or is not readable.
    case unreadable
  }

  private static let mask =
    UInt32(
      IN_CREATE | IN_DELETE | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB
        | IN_DELETE_SELF | IN_MOVE_SELF
    ) | UInt32(IN_ONLYDIR) | UInt32(IN_DONT_FOLLOW) | UInt32(IN_EXCL_UNLINK)

  private let descriptor: Int32
  /// The end of a pipe; closing it ends the thread.
  private let bell: Int32
  private let most: Int
  private let count = Mutex(0)
  private let isStopped = Atomic(false)

  /// Starts watching; `nil` if the system has no instance left.
  ///
  /// - Parameters:
  ///   - most: The most watches.
  ///   - onEvents: Called on the thread with the events; must not block.
  package init?(most: Int, onEvents: @escaping @Sendable ([Event]) -> Void) {
    descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    var ends: [Int32] = [-1, -1]
    let hasPipe = pipe(&ends) == 0
    for end in ends where hasPipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    bell = ends[1]
    self.most = most
    guard descriptor >= 0, hasPipe else {
      for open in ends + [descriptor] where open >= 0 { close(open) }
      return nil
    }
    let (source, end) = (descriptor, ends[0])
    guard HostThread.start({ Self.run(source, end, onEvents) }) else {
      for open in ends + [descriptor] { close(open) }
      return nil
    }
  }

  deinit { stop() }

  /// Ends the thread; nothing is watched any more.
  package func stop() {
    guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
    close(bell)
  }

  /// How many folders are watched.
  package var watched: Int { count.withLock { $0 } }

  /// The most watches that a share of the system's limit allows.
  package static func share(percent: Int) -> Int {
    let limit = HostFile.text("/proc/sys/fs/inotify/max_user_watches").flatMap { Int($0) } ?? 8_192
    return max(64, limit / 100 * percent)
  }

  /// Watches a folder.
  ///
  /// - Returns: The number of the watch; the same for the same folder.
  package func add(_ path: String) throws(Refusal) -> Int32 {
    guard !isStopped.load(ordering: .acquiring) else { throw .noRoom }
    guard count.withLock({ $0 < most }) else { throw .noRoom }
    let watch = inotify_add_watch(descriptor, path, Self.mask)
    if watch >= 0 { return watch }
    throw errno == ENOSPC || errno == ENOMEM ? .noRoom : .unreadable
  }

  /// Counts a watch that is new to the caller.
  package func retain() { count.withLock { $0 += 1 } }

  /// Ends a watch.
  package func remove(_ watch: Int32) {
    inotify_rm_watch(descriptor, watch)
    forget()
  }

  /// Counts a watch that the kernel has ended.
  package func forget() { count.withLock { $0 -= 1 } }

  /// The microseconds between two readings, no longer than the pause between two rounds of the watcher.
  private static let pause = UInt32(WatchLimits.roundPause * 1e6)

  private static func run(
    _ descriptor: Int32,
    _ end: Int32,
    _ onEvents: @Sendable ([Event]) -> Void
  ) {
    var room = [UInt8](repeating: 0, count: 64 << 10)
    var sources = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: end, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let ready = poll(&sources, 2, -1)
      if ready < 0, errno == EINTR { continue }
      if ready < 0 || sources[1].revents != 0 { break }
      let length = read(descriptor, &room, room.count)
      if length < 0, errno == EAGAIN || errno == EINTR { continue }
      guard length > 0 else { break }
      onEvents(events(room[..<length]))
      // Writing in small pieces makes an event for each. A pause lets the kernel join equal ones, and one
      // round serves many; a full buffer has more behind it.
      if length < room.count - (4 << 10) { usleep(pause) }
    }
    close(descriptor)
    close(end)
  }

  /// Reads the records that the kernel wrote; of records for one name that follow each other and say the same it
  /// gives one.
  static func events(_ bytes: ArraySlice<UInt8>) -> [Event] {
    var events: [Event] = []
    var position = bytes.startIndex
    while position + 16 <= bytes.endIndex {
      let (watch, mask, length) = bytes.withUnsafeBytes { all -> (Int32, UInt32, Int) in
        let start = position - bytes.startIndex
        return (
          all.loadUnaligned(fromByteOffset: start, as: Int32.self),
          all.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self),
          Int(all.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self))
        )
      }
      let begin = position + 16
      guard begin + length <= bytes.endIndex else { break }
      let name = bytes[begin..<begin + length].prefix { $0 != 0 }
      position = begin + length
      let isEnd = mask & UInt32(IN_IGNORED | IN_MOVE_SELF | IN_UNMOUNT) != 0
      let change = change(mask)
      if let last = events.last, last.watch == watch, !isEnd, !last.isEnd,
        last.change == change || change.isEmpty && last.change == .write,
        last.name.utf8.elementsEqual(name)
      {
        events[events.count - 1].change = change
        continue
      }
      events.append(
        Event(
          watch: watch,
          name: String(decoding: name, as: UTF8.self),
          isEnd: isEnd,
          change: change
        )
      )
    }
    return events
  }

  private static func change(_ mask: UInt32) -> WatchPlan.Change {
    var change: WatchPlan.Change = []
    let new = UInt32(IN_CREATE | IN_MOVED_TO)
    if mask & new != 0 { change.insert(.new) }
    if mask & (new | UInt32(IN_DELETE | IN_MOVED_FROM)) != 0 { change.insert(.entry) }
    if mask & UInt32(IN_ISDIR) != 0 { change.insert(.folder) }
    if mask & UInt32(IN_MODIFY) != 0 { change.insert(.write) }
    return change
  }
}
