import ArgumentParser
import Foundation
import StationboardServer

/// The `--data` option that import and serve share.
struct DataOption: ParsableArguments {
  @Option(
    name: .long,
    help: "The folder of the imported feeds. Default: $FRESHET_DATA, else freshet-data."
  )
  var data: String?

  /// The folder.
  var folder: DataFolder { folder(or: nil) }

  /// The folder, if another one is configured.
  func folder(or configured: String?) -> DataFolder {
    let asked = data ?? configured ?? ProcessInfo.processInfo.environment["FRESHET_DATA"] ?? ""
    let path = asked.isEmpty ? "freshet-data" : asked
    return DataFolder(path: path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path)
  }
}
