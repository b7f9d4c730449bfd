import ArgumentParser
import Commands
import StationboardServer

extension FeedPlace {
  /// Reads a path or a URL.
  ///
  /// - Parameters:
  ///   - text: The path, or the URL, which contains `://`.
  ///   - fields: The header fields of its request, as `Name: value`.
  /// - Throws: `ValidationError`.
  init(typed text: String, fields: [String]) throws {
    guard text.contains("://") else {
      self = .path(text)
      return
    }
    do throws(WatchAddressError) {
      self = .request(try WatchAddress.request(text, fields: try WatchAddress.fields(fields)))
    } catch {
      throw ValidationError(error.description)
    }
  }

  /// Returns an address as it is shown: without its query, which may be a key.
  static func title(_ text: String) -> String {
    guard text.contains("://") else { return text }
    return String(text.prefix { $0 != "?" && $0 != "#" })
  }
}
