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
  var folder: DataFolder {
    let asked = data ?? ProcessInfo.processInfo.environment["FRESHET_DATA"] ?? ""
    let path = asked.isEmpty ? "freshet-data" : asked
    return DataFolder(path: path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path)
  }
}
