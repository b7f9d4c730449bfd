import ConditionalHTTP
import Foundation
import GTFS
import StrictJSON

/// Reads the files of a catalogue of feeds.
struct CatalogueReader {
  private let path: String

  /// Names a file or a folder.
  init(_ path: String) { self.path = path }

  /// Returns all timetables.
  ///
  /// - Throws: ``FeedError`` with code `unreadable` or `invalid`.
  func entries() throws(FeedError) -> [FeedCatalogue.Entry] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw FeedError(.unreadable, "\(HTTPAddress.hidingCredentials(in: path)): no such file")
    }
    var found: [FeedCatalogue.Entry] = []
    if isFolder.boolValue {
      let names = ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [])
        .filter { $0.hasSuffix(".json") }.sorted()
      guard !names.isEmpty else { throw FeedError(.invalid, "\(path): has no .json files") }
      guard names.count <= StaticFeedLimits.catalogueFiles else {
        throw FeedError(
          .limitExceeded,
          "\(path): more than \(StaticFeedLimits.catalogueFiles) files"
        )
      }
      for name in names {
        found += try registry("\(path)/\(name)")
        try check(found.count)
      }
    } else if isObject(path) {
      found = try registry(path)
    } else {
      found = try table(path)
    }
    try check(found.count)
    guard !found.isEmpty else { throw FeedError(.invalid, "\(path): has no timetable") }
    return found
  }

  private func check(_ count: Int) throws(FeedError) {
    guard count <= StaticFeedLimits.catalogueFeeds else {
      throw FeedError(.limitExceeded, "\(path): more than \(StaticFeedLimits.catalogueFeeds) feeds")
    }
  }

  /// Whether a file begins like a JSON object.
  private func isObject(_ file: String) -> Bool {
    guard let handle = FileHandle(forReadingAtPath: file) else { return false }
    defer { try? handle.close() }
    let start = (try? handle.read(upToCount: 1_024)) ?? Data()
    return start.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) } == 0x7B
  }

  // MARK: Mobility Database

  /// Reads the CSV file of the Mobility Database, of the first or the second version.
  private func table(_ file: String) throws(FeedError) -> [FeedCatalogue.Entry] {
    let reader = try CSVReader(FileSource(path: file), file: file)
    guard let id = reader.column("id") ?? reader.column("mdb_source_id"),
      let kind = reader.column("data_type")
    else {
      throw FeedError(
        .invalid,
        "\(file): is neither the CSV file of the Mobility Database (columns id, data_type, …) nor DMFR"
      )
    }
    // The first version has numbers.
    let prefix = reader.column("id") == nil ? "mdb-" : ""
    func text(_ column: String) -> String {
      Self.shortened(String(decoding: reader.bytes(reader.column(column)), as: UTF8.self))
    }
    var found: [FeedCatalogue.Entry] = []
    while try reader.next() {
      try check(found.count)
      guard reader.bytesRead <= StaticFeedLimits.catalogueBytes else {
        throw FeedError(
          .limitExceeded,
          "\(file): more than \(StaticFeedLimits.catalogueBytes) bytes"
        )
      }
      guard reader.problem == nil else { continue }
      let name = String(decoding: reader.bytes(id), as: UTF8.self)
      let direct = text("urls.direct_download")
      let status = text("status")
      guard String(decoding: reader.bytes(kind), as: UTF8.self) == "gtfs", status != "deprecated",
        let entry = Self.entry(
          id: prefix + name,
          names: [text("provider"), text("name")],
          places: [
            text("location.municipality"), text("location.subdivision_name"),
            text("location.country_code"),
          ],
          address: direct.isEmpty ? text("urls.latest") : direct,
          // 0 or empty: none.
          access: ["", "0"].contains(text("urls.authentication_type"))
            ? nil : text("urls.authentication_info"),
          license: text("urls.license"),
          isInactive: status == "inactive"
        )
      else { continue }
      found.append(entry)
    }
    return found
  }

  // MARK: DMFR

  /// Reads a DMFR file.
  private func registry(_ file: String) throws(FeedError) -> [FeedCatalogue.Entry] {
    let attributes = try? FileManager.default.attributesOfItem(atPath: file)
    guard (attributes?[.size] as? Int ?? 0) <= StaticFeedLimits.catalogueBytes else {
      throw FeedError(.limitExceeded, "\(file): more than \(StaticFeedLimits.catalogueBytes) bytes")
    }
    guard let data = FileManager.default.contents(atPath: file) else {
      throw FeedError(.unreadable, "\(file): cannot be read")
    }
    let document: JSONValue
    do {
      document = try JSONReader.value(of: Array(data))
    } catch {
      throw FeedError(.invalid, "\(file): \(error)")
    }
    let operators = document["operators"]?.list ?? []
    var names: [String: [String]] = [:]
    for each in operators {
      guard let name = each["name"]?.string else { continue }
      for feed in each["associated_feeds"]?.list ?? [] {
        if let id = feed["feed_onestop_id"]?.string { names[id, default: []].append(name) }
      }
    }
    return (document["feeds"]?.list ?? []).compactMap { feed in
      guard let id = (feed["id"] ?? feed["onestop_id"])?.string,
        (feed["spec"]?.string ?? "gtfs").lowercased() == "gtfs",
        let address = feed["urls"]?["static_current"]?.string
      else { return nil }
      let own = (feed["operators"]?.list ?? []).compactMap { $0["name"]?.string }
      let license = feed["license"]
      return Self.entry(
        id: id,
        names: own + names[id, default: []] + [feed["name"]?.string ?? ""],
        places: [],
        address: address,
        access: feed["authorization"].map { $0["info_url"]?.string ?? "" },
        license: license?["spdx_identifier"]?.string ?? license?["url"]?.string ?? "",
        isInactive: false
      )
    }
  }

  // MARK: Entries

  private static func entry(
    id: String,
    names: [String],
    places: [String],
    address: String,
    access: String?,
    license: String,
    isInactive: Bool
  ) -> FeedCatalogue.Entry? {
    guard !id.isEmpty, id.count <= StaticFeedLimits.catalogueText,
      address.hasPrefix("http://") || address.hasPrefix("https://")
    else { return nil }
    var shown: [String] = []
    for name in names.map(shortened) where !name.isEmpty && !shown.contains(name) {
      shown.append(name)
    }
    return FeedCatalogue.Entry(
      id: id,
      name: shown.isEmpty ? id : shortened(shown.joined(separator: ", ")),
      place: places.filter { !$0.isEmpty }.joined(separator: ", "),
      address: address,
      access: access,
      license: license.isEmpty ? nil : shortened(license),
      isInactive: isInactive
    )
  }

  private static func shortened(_ text: String) -> String {
    String(text.prefix(StaticFeedLimits.catalogueText))
  }
}
