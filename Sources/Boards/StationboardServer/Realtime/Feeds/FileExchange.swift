package import ConditionalHTTP
import Foundation
package import HTTPTypes
import Storage

/// Answers requests with scheme `file` from the file system, conditionally, and forwards others.
///
/// The entity tag of a file consists of its size, its inode and its modification time, so that the engine polls files
/// as it polls servers: an unchanged file is a 304.
package struct FileExchange: HTTPExchange {
  /// The largest file, in bytes.
  package static let largest = 64 << 20

  private let other: any HTTPExchange

  /// Creates an exchange that hands everything but files on.
  package init(otherwise other: any HTTPExchange) { self.other = other }

  /// Sends a request.
  ///
  /// - Throws: `unreachable` if the file cannot be read, `tooLarge` if it is too large; else what the
  ///   other exchange throws.
  @concurrent
  package func send(
    _ request: HTTPRequest,
    timeout: Duration
  ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
    guard request.scheme == "file", let link = request.path else {
      return try await other.send(request, timeout: timeout)
    }
    // What a link leads to is the file; the link itself changes when it leads elsewhere only.
    let path = URL(fileURLWithPath: link).resolvingSymlinksInPath().path
    let tag = try tag(of: path)
    let fields: HTTPFields = [.eTag: tag]
    if request.headerFields[.ifNoneMatch] == tag {
      return HTTPExchangeAnswer(
        head: HTTPResponse(status: .notModified, headerFields: fields),
        body: []
      )
    }
    do {
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      let head = HTTPResponse(status: .ok, headerFields: fields)
      return HTTPExchangeAnswer(head: head, body: Array(data))
    } catch {
      throw HTTPExchangeError(.unreachable, "\(path): \(ErrorText.of(error, showsPath: false))")
    }
  }

  private func tag(of path: String) throws(HTTPExchangeError) -> String {
    do {
      let facts = try FileManager.default.attributesOfItem(atPath: path)
      guard facts[.type] as? FileAttributeType == .typeRegular else {
        throw HTTPExchangeError(.unreachable, "\(path): a folder or a device, not a file")
      }
      let size = facts[.size] as? Int ?? 0
      let changed = (facts[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
      let inode = facts[.systemFileNumber] as? Int ?? 0
      guard size <= Self.largest else {
        throw HTTPExchangeError(.tooLarge, "\(path): larger than \(Self.largest) bytes")
      }
      return "\"\(size)-\(inode)-\(Int64(changed * 1_000_000))\""
    } catch let error as HTTPExchangeError {
      throw error
    } catch {
      throw HTTPExchangeError(.unreachable, "\(path): no such file, or it cannot be read")
    }
  }
}
