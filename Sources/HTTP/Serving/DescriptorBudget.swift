import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The file descriptors that a process may have, and how many connections fit beside everything else that needs one.
///
/// A process without a free descriptor does not only refuse connections: git cannot start, SQLite cannot open its
/// journal, and libdispatch aborts the process when it cannot inspect its own threads. So connections never use the
/// last descriptors.
package struct DescriptorBudget: Hashable, Sendable {
  /// Descriptors kept for feeds, databases, git and other programs, and the runtime.
  package static let reserve = 192
  /// The most descriptors that are asked for, whatever the hard limit is.
  package static let most = 65_536

  /// Descriptors of each event loop, of which there is one for each processor.
  package static let perLoop = 4
  /// The fewest descriptors beside those of event loops with which any command of the program runs.
  ///
  /// With fewer, event loops and the start of other programs cannot be made, which ends the process without a message.
  package static let leastOfAny = 24
  /// The fewest descriptors beside those of event loops with which a server starts: all services use 30 when idle.
  package static let leastOfServer = 112

  /// Descriptors that no connection takes, whatever took the others.
  package static let leastFree = 32

  /// The descriptors that the process may have.
  package var descriptors: Int
  /// How many event loops there are.
  package var loops: Int

  /// Creates a budget.
  ///
  /// - Parameters:
  ///   - descriptors: The descriptors that the process may have.
  ///   - loops: How many event loops there are.
  package init(descriptors: Int, loops: Int = 0) {
    self.descriptors = descriptors
    self.loops = loops
  }

  #if canImport(Glibc)
  private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
  private static let resource = RLIMIT_NOFILE
  #endif

  /// Raises the soft limit of this process as far as the hard limit allows, at most to ``most``.
  ///
  /// - Returns: The budget after that.
  package static func raised() -> DescriptorBudget {
    var limit = rlimit()
    let loops = System.coreCount
    guard getrlimit(resource, &limit) == 0 else {
      return DescriptorBudget(descriptors: 256 + Self.perLoop * loops, loops: loops)
    }
    let wanted = min(limit.rlim_max, rlim_t(most))
    if limit.rlim_cur < wanted {
      let before = limit.rlim_cur
      limit.rlim_cur = wanted
      if setrlimit(resource, &limit) != 0 { limit.rlim_cur = before }
    }
    return DescriptorBudget(descriptors: Int(min(limit.rlim_cur, rlim_t(most))), loops: loops)
  }

  /// Whether fewer descriptors than ``leastFree`` are left to this process, by the limit that it has now.
  ///
  /// The system gives the lowest number that is free, so a number near the limit says that all below it are in use.
  static var areScarce: Bool {
    var limit = rlimit()
    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return errno == EMFILE || errno == ENFILE }
    close(descriptor)
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < rlim_t(Int32.max) else { return false }
    return Int(descriptor) + leastFree >= Int(limit.rlim_cur)
  }

  private var free: Int { max(0, descriptors - Self.perLoop * loops) }

  /// Says what is wrong with a budget that is too small.
  ///
  /// - Parameter least: The fewest descriptors beside those of event loops.
  /// - Returns: A sentence for people; `nil` if the budget suffices.
  package func shortage(_ least: Int) -> String? {
    guard free < least else { return nil }
    return "this process may have only \(descriptors) open files; it needs at least"
      + " \(least + Self.perLoop * loops) (ulimit -n)"
  }

  /// The number of connections that fit: the descriptors without the reserve, and at least a quarter of them.
  ///
  /// - Parameter wanted: The most connections.
  /// - Returns: That many, or fewer; at least one.
  package func connections(_ wanted: Int) -> Int {
    max(1, min(wanted, max(free - Self.reserve, free / 4)))
  }
}
