import HTTPTypes
package import Hummingbird

extension Request {
  /// Checks whether the request declares content longer than a limit; then it can be refused before it comes.
  ///
  /// - Parameter limit: The limit, in bytes.
  /// - Returns: Whether it says so.
  package func declaresMore(than limit: Int) -> Bool {
    guard let text = headers[.contentLength] else { return false }
    // A number that is too long for a number is too long for a limit.
    return UInt64(text).map { $0 > UInt64(limit) } ?? true
  }
}

extension Problem {
  /// The problem as the last response of its connection: the remaining content is not wanted.
  package var last: Problem {
    var problem = self
    problem.fields[.connection] = "close"
    return problem
  }
}
