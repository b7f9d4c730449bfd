import ConditionalHTTP
import FeedRecording
import Foundation
import GTFSRealtime
import HTTPTypes
import Serving

/// A transport that records every response that passes through it.
struct RecordExchange: HTTPExchange {
  /// The result of recording a response.
  enum Happening: Sendable {
    /// It was written; the file has this many bytes now.
    case recorded(FeedRecording.Answer, FeedRecording.Writer.Entry, Int64)
    /// It could not be written.
    case failed(FeedRecording.Failure)
  }

  /// Sends requests to servers; files are read here.
  let transport: any HTTPExchange
  let writer: FeedRecording.Writer
  let sources: [RecordSource]
  /// Dates the responses.
  let clock: ServiceClock
  let report: @Sendable (Happening) -> Void

  /// The response fields that are recorded: those about the content and its freshness.
  private static let fields: [HTTPField.Name] = [
    .date, .age, .eTag, .lastModified, .cacheControl, .retryAfter, .contentType, .contentEncoding,
  ]

  func send(
    _ request: HTTPRequest,
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    let source = sources.first {
      $0.question.scheme == request.scheme && $0.question.authority == request.authority
        && $0.question.path == request.path
    }
    let start = clock.now
    do {
      let answer =
        request.scheme == "file"
        ? try Self.file(request) : try await transport.send(request, timeout: timeout)
      if let source { record(answer, from: source, took: clock.now - start) }
      return answer
    } catch {
      let took = clock.now - start
      // A cancellation is not a response, unless the engine's timeout caused it.
      let isTimeout = error.code == .timedOut || took >= Double(RecordSource.patience)
      if let source, error.code != .cancelled || isTimeout {
        let failure = isTimeout ? FeedRecording.noAnswerInTime : error.description
        record(failure: failure, from: source, took: took)
      }
      throw error
    }
  }

  private func record(_ answer: HTTPExchangeAnswer, from source: RecordSource, took: Double) {
    let fields = Self.fields.compactMap { name in
      answer.head.headerFields[name].map { FeedRecording.Field(name.canonicalName, $0) }
    }
    let status = answer.head.status.code
    write(
      FeedRecording.Answer(
        source: source.source,
        arrival: Self.milliseconds(clock.now),
        duration: Self.milliseconds(max(took, 0)),
        status: status,
        fields: fields
      ),
      body: status == 304 || status == 204 ? nil : answer.body
    )
  }

  private func record(failure: String, from source: RecordSource, took: Double) {
    write(
      FeedRecording.Answer(
        source: source.source,
        arrival: Self.milliseconds(clock.now),
        duration: Self.milliseconds(max(took, 0)),
        status: 0,
        failure: failure
      ),
      body: nil
    )
  }

  private func write(_ answer: FeedRecording.Answer, body: [UInt8]?) {
    do throws(FeedRecording.Failure) {
      let entry = try writer.append(answer, body: body)
      report(.recorded(answer, entry, writer.count))
    } catch {
      report(.failed(error))
    }
  }

  /// Reads a file as a server would send it: with an entity tag, and a 304 if it is unchanged.
  private static func file(_ request: HTTPRequest) throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    let path = request.path ?? ""
    let bytes: [UInt8]
    do {
      bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    } catch {
      let isAbsent = (error as? CocoaError)?.code == .fileReadNoSuchFile
      let reason = isAbsent ? "there is no such file" : "cannot be read: \(error)"
      throw HTTPExchangeError(.unreachable, "\(path): \(reason)")
    }
    let tag = EntityTag("\(FeedDigest(bytes))")
    let isKnown = request.headerFields[.ifNoneMatch].map { tag.matches(ifNoneMatch: $0) } ?? false
    let head = HTTPResponse(
      status: isKnown ? .notModified : .ok,
      headerFields: [.eTag: tag.description]
    )
    return HTTPExchangeAnswer(head: head, body: isKnown ? [] : bytes)
  }

  private static func milliseconds(_ seconds: Double) -> Int64 {
    Int64((seconds * 1_000).rounded(.down))
  }
}
