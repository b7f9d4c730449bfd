package import Git
import Synchronization
package import Workspaces

/// Which folders are watched for which worktrees and repositories: one kernel watch for each, however many need it.
package final class WatchTable: Sendable {
  /// What an event concerns.
  package enum Owner: Hashable, Sendable {
    /// The worktree at a path.
    case worktree(String)
    /// The repository with a common directory.
    case repository(String)
    /// The files outside of a repository that say how git sees it, by its common directory.
    case settings(String)
    /// The folders that are searched for repositories.
    case search

    /// The kind, and the path by which it is known.
    private var parts: (kind: Int, path: String) {
      switch self {
      case .worktree(let path): (0, path)
      case .repository(let path): (1, path)
      case .settings(let path): (2, path)
      case .search: (3, "")
      }
    }

    /// Compares paths by their bytes.
    package static func == (left: Self, right: Self) -> Bool {
      left.parts.kind == right.parts.kind && left.parts.path.isSameName(as: right.parts.path)
    }

    /// Hashes the bytes of the path.
    package func hash(into hasher: inout Hasher) {
      hasher.combine(parts.kind)
      var path = parts.path
      path.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
  }

  private struct Watch {
    var path: String
    var owners: [Owner: WatchPlan.Place]
  }

  private struct State {
    var watches: [Int32: Watch] = [:]
    var numbers: NameTable<Int32> = [:]
    /// What each owner wants, without what is gone since.
    var wanted: [Owner: NameTable<WatchPlan.Place>] = [:]
    var dirty: Set<Owner> = []
    /// Owners whose watched folders have changed.
    var moved: Set<Owner> = []
    /// How often content of a worktree changed, as far as events show.
    var contents: NameTable<Int64> = [:]
    /// How often the folders of a worktree that have to be watched became others.
    var moves: NameTable<Int64> = [:]
    var events: Int64 = 0
  }

  /// The changes since the last request for changes.
  package struct Changes: Sendable {
    /// The owners with any change.
    package var dirty: Set<Owner>
    /// The owners among them whose folders were replaced, so that their watches must be set again.
    package var moved: Set<Owner>
  }

  private let state: Mutex<State>
  private let inotify: Inotify?
  private let signal: @Sendable () -> Void

  /// Starts a table.
  ///
  /// - Parameters:
  ///   - share: The most watches; 0 watches nothing, as on a system without inotify.
  ///   - signal: Called when there are new events; must not wait.
  package init(share: Int, signal: @escaping @Sendable () -> Void) {
    state = Mutex(State())
    self.signal = signal
    let relay = Relay()
    inotify = share > 0 ? Inotify(most: share) { relay.table?.handle($0) } : nil
    relay.set(self)
  }

  /// The handler's way to the table, which it must not keep alive.
  private final class Relay: Sendable {
    private struct Reference: Sendable { weak let table: WatchTable? }
    private let reference = Mutex(Reference(table: nil))
    var table: WatchTable? { reference.withLock { $0.table } }
    func set(_ table: WatchTable) { reference.withLock { $0 = Reference(table: table) } }
  }

  deinit { inotify?.stop() }

  /// How many folders are watched.
  package var watched: Int { inotify?.watched ?? 0 }
  /// How many events came.
  package var events: Int64 { state.withLock { $0.events } }

  /// Whether a folder is watched by this path.
  func isWatched(_ path: String) -> Bool { state.withLock { $0.numbers[path] != nil } }

  /// How often the content of a worktree changed.
  package func contentVersion(_ path: String) -> Int64 {
    state.withLock { $0.contents[path, default: 0] }
  }

  /// How often other folders of a worktree had to be watched.
  package func moves(_ path: String) -> Int64 { state.withLock { $0.moves[path, default: 0] } }

  /// Says that the content of a worktree may be seen otherwise from now on.
  package func touch(_ path: String) {
    state.withLock { $0.contents[path, default: 0] += 1 }
  }

  /// Returns the changes since the last call.
  package func changes() -> Changes {
    state.withLock { state in
      defer { (state.dirty, state.moved) = ([], []) }
      return Changes(dirty: state.dirty, moved: state.moved)
    }
  }

  /// Sets the folders an owner is notified of, and drops its earlier ones.
  ///
  /// - Returns: Whether all of them that exist are watched, and those that were not before.
  @discardableResult
  package func set(
    _ folders: NameTable<WatchPlan.Place>,
    for owner: Owner
  ) -> (isWhole: Bool, added: [String]) {
    guard let inotify else { return (false, []) }
    return state.withLock { state in
      let before = state.wanted[owner] ?? [:]
      state.wanted[owner] = folders.isEmpty ? nil : folders
      for path in before.keys where folders[path] == nil {
        guard let number = state.numbers[path] else { continue }
        state.watches[number]?.owners[owner] = nil
        if state.watches[number]?.owners.isEmpty == true {
          inotify.remove(number)
          Self.forget(number, &state)
        }
      }
      var (isWhole, added) = (true, [String]())
      let new = folders.filter { before[$0.key] != $0.value || state.numbers[$0.key] == nil }
      for (path, place) in new.sorted(by: { $0.key < $1.key }) {
        if before[path] == nil { added.append(path) }
        if let number = state.numbers[path] {
          state.watches[number]?.owners[owner] = place
          continue
        }
        do throws(Inotify.Refusal) {
          let number = try inotify.add(path)
          if let other = state.watches[number] {
            // The same folder by another path: it keeps its first one.
            state.numbers[other.path] = nil
            state.watches[number]?.path = path
          } else {
            inotify.retain()
            state.watches[number] = Watch(path: path, owners: [:])
          }
          state.numbers[path] = number
          state.watches[number]?.owners[owner] = place
        } catch .noRoom {
          isWhole = false
          break
        } catch {
          continue
        }
      }
      return (isWhole, added)
    }
  }

  /// Drops all folders of an owner.
  package func remove(_ owner: Owner) {
    set([:], for: owner)
    if case .worktree(let path) = owner {
      state.withLock { ($0.contents[path], $0.moves[path]) = (nil, nil) }
    }
  }

  private static func forget(_ number: Int32, _ state: inout State) {
    guard let watch = state.watches.removeValue(forKey: number) else { return }
    if state.numbers[watch.path] == number { state.numbers[watch.path] = nil }
  }

  private func handle(_ events: [Inotify.Event]) {
    let isChange = state.withLock { state in
      let had = !state.dirty.isEmpty
      state.events += Int64(events.count)
      /// Watches of content alone that something was said of: more of the same is nothing more.
      var told: Set<Int32> = []
      for event in events {
        if event.watch < 0 {
          for watch in state.watches.values {
            for owner in watch.owners.keys {
              Self.mark(owner, .content, &state)
              // A new folder may be among what was lost.
              Self.move(owner, &state)
            }
          }
          continue
        }
        let isPlain =
          !event.isEnd && !event.change.contains(.folder) && !event.name.hasPrefix(".git")
        if isPlain, told.contains(event.watch) { continue }
        guard let watch = state.watches[event.watch] else { continue }
        if isPlain, watch.owners.values.allSatisfy({ $0 == .content }) { told.insert(event.watch) }
        for (owner, place) in watch.owners
        where event.isEnd || WatchPlan.matters(event.name, in: place, event.change) {
          Self.mark(owner, place, &state)
          if event.isEnd || WatchPlan.movesFolders(event.name, in: place, event.change) {
            Self.move(owner, &state)
          }
        }
        if event.isEnd {
          // A folder that moved would be reported by its old path.
          for owner in watch.owners.keys { state.wanted[owner]?[watch.path] = nil }
          inotify?.remove(event.watch)
          Self.forget(event.watch, &state)
        }
      }
      return !had && !state.dirty.isEmpty
    }
    if isChange { signal() }
  }

  private static func move(_ owner: Owner, _ state: inout State) {
    state.moved.insert(owner)
    if case .worktree(let path) = owner { state.moves[path, default: 0] += 1 }
  }

  private static func mark(_ owner: Owner, _ place: WatchPlan.Place, _ state: inout State) {
    state.dirty.insert(owner)
    if case .worktree(let path) = owner { state.contents[path, default: 0] += 1 }
  }
}
