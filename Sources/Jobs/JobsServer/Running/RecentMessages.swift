import Jobs
import NIOCore
import Synchronization

/// The newest messages as they go out, made once for all subscribers: each of them is one piece of memory, however
/// many sockets it waits at.
final class RecentMessages: Sendable {
  private struct Key: Hashable {
    var job: String
    var seq: Int64
    var version: WireVersion
  }

  private struct State {
    var messages: [Key: Task<ByteBuffer, any Error>] = [:]
    /// Oldest first.
    var order: [Key] = []
  }

  private let state = Mutex(State())
  private let most: Int

  /// - Parameter most: How many messages are kept.
  init(most: Int) { self.most = most }

  /// The message of an event.
  ///
  /// - Parameters:
  ///   - job: The job.
  ///   - seq: The number of the event.
  ///   - version: The version.
  ///   - make: Makes the message; called once for all simultaneous requests.
  /// - Returns: The bytes.
  /// - Throws: What `make` throws; then the next one to ask makes it again.
  func message(
    _ job: String,
    _ seq: Int64,
    _ version: WireVersion,
    make: @escaping @Sendable () async throws -> ByteBuffer
  ) async throws -> ByteBuffer {
    let key = Key(job: job, seq: seq, version: version)
    let task = state.withLock { state in
      if let known = state.messages[key] { return known }
      let task = Task { try await make() }
      state.messages[key] = task
      state.order.append(key)
      if state.order.count > most {
        state.messages[state.order.removeFirst()] = nil
      }
      return task
    }
    do {
      return try await task.value
    } catch {
      state.withLock { state in
        guard state.messages[key] == task else { return }
        state.messages[key] = nil
        state.order.removeAll { $0 == key }
      }
      throw error
    }
  }
}
