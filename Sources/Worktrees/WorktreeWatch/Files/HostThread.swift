import Glibc

/// A thread for work that blocks.
package enum HostThread {
  /// Starts a thread.
  ///
  /// - Parameter body: The work of the thread.
  /// - Returns: Whether the system could create it.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    var thread = pthread_t()
    let pointer = Unmanaged.passRetained(Work(body)).toOpaque()
    let failure = pthread_create(
      &thread,
      nil,
      { pointer in
        guard let pointer else { return nil }
        Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
        return nil
      },
      pointer
    )
    guard failure == 0 else {
      Unmanaged<Work>.fromOpaque(pointer).release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
