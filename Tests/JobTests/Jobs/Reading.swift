import Jobs
import Testing

/// Reads a message.
func message(_ text: String) -> JobMessage { JobMessageReader().message(Array(text.utf8)) }

/// The completion of a terminal message.
func ended(_ text: String) throws -> JobCompletion {
  guard case .ended(let completion) = message(text).body else { throw NotThat(message(text).body) }
  return completion
}

/// The report of a message of progress.
func progress(_ text: String) throws -> JobProgress {
  guard case .progress(let progress) = message(text).body else { throw NotThat(message(text).body) }
  return progress
}

/// A message says something else.
struct NotThat: Error {
  let body: JobMessage.Body
  init(_ body: JobMessage.Body) { self.body = body }
}
