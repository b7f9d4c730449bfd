#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The file descriptors that a process may have, and how many connections fit beside everything else that needs one.
///
/// A process without a free descriptor does not only refuse connections: git cannot be started, SQLite cannot open its
/// journal, and libdispatch stops the process when it cannot look at its own threads. So connections never use the
/// last descriptors.
package struct DescriptorBudget: Hashable, Sendable {
  /// Descriptors kept for feeds, databases, git and other programs, and the runtime.
  package static let reserve = 192
  /// The most descriptors that are asked for, whatever the hard limit is.
  package static let most = 65_536

  /// The descriptors that the process may have.
  package var descriptors: Int

  /// Creates a budget.
  ///
  /// - Parameter descriptors: The descriptors that the process may have.
  package init(descriptors: Int) { self.descriptors = descriptors }

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
    guard getrlimit(resource, &limit) == 0 else { return DescriptorBudget(descriptors: 256) }
    let wanted = min(limit.rlim_max, rlim_t(most))
    if limit.rlim_cur < wanted {
      let before = limit.rlim_cur
      limit.rlim_cur = wanted
      if setrlimit(resource, &limit) != 0 { limit.rlim_cur = before }
    }
    return DescriptorBudget(descriptors: Int(min(limit.rlim_cur, rlim_t(most))))
  }

  /// How many connections fit: what is left of the descriptors after the reserve, and at least a quarter of them.
  ///
  /// - Parameter wanted: The most connections.
  /// - Returns: That many, or fewer; at least one.
  package func connections(_ wanted: Int) -> Int {
    max(1, min(wanted, max(descriptors - Self.reserve, descriptors / 4)))
  }
}
