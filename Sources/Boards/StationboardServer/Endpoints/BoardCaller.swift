import ConditionalHTTP
import HTTPTypes
import Hummingbird
import Serving

/// The caller of a board, as far as the header fields of the response depend on it.
struct BoardCaller {
  /// The id of the request.
  let requestId: String
  /// The key that signs receipts; `nil` if receipts are off.
  private let key: ReceiptKey?
  /// The stop as given in the request.
  private let subject: String
  private let client: AnswerReceipt.Client
  private let after: AnswerReceipt.After?

  init(_ request: Request, key: ReceiptKey?) {
    requestId = RequestIdentity.of(request)
    self.key = key
    guard key != nil else {
      (subject, client, after) = ("", .program, nil)
      return
    }
    let query = QueryItems(request)
    subject = query[first: BoardRequest.stopParameters + ["stationName"]] ?? ""
    client = request.headers[.secFetchMode] == nil ? .program : .page
    after = request.headers[.mdReceiptAfter].flatMap { AnswerReceipt.After($0) }
  }

  /// The receipt of an answer.
  ///
  /// - Parameters:
  ///   - status: The HTTP status.
  ///   - entityTag: The tag of the board.
  ///   - realtime: The status of realtime.
  ///   - sourceTime: When the realtime was made, on the service clock.
  ///   - now: When it was answered, on the service clock.
  /// - Returns: The receipt; `nil` without a key.
  func receipt(
    status: Int,
    entityTag: String,
    realtime: String,
    sourceTime: Double?,
    at now: Double
  ) -> String? {
    guard let key else { return nil }
    return AnswerReceipt(
      AnswerReceipt.Facts(
        requestId: requestId,
        entityTag: entityTag,
        subject: subject,
        realtime: realtime,
        status: status
      ),
      serverTime: InstantText.milliseconds(of: now),
      sourceTime: sourceTime.map { InstantText.milliseconds(of: $0) },
      client: client,
      after: after,
      key: key
    ).text
  }
}
