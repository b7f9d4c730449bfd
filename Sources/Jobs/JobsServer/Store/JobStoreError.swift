/// An error of the job store.
package enum JobStoreError: Error, CustomStringConvertible {
  /// It was changed by something else.
  case damaged(String)
  /// A file in its folder cannot be made.
  case unwritable(String)
  /// The job went while it was worked on.
  case gone(String)
  /// Another server runs the jobs of this folder.
  case inUse(String)
  /// The lease has ended, and another server may work on the job.
  case fenced(String)

  package var description: String {
    switch self {
    case .damaged(let text), .unwritable(let text): text
    case .gone(let job): "the job \(job) is not there any more"
    case .fenced(let job): "the lease of the job \(job) has ended; another server may work on it"
    case .inUse(let folder):
      "another server runs the jobs in \(folder); each server needs a folder of its own"
    }
  }
}
