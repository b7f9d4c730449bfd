package import ArgumentParser
import Foundation
package import StationboardServer
import Storage

/// The `--data` option that import and serve share.
package struct DataOption: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "The folder of the imported feeds. Default: $FRESHET_DATA, else freshet-data.",
      valueName: "folder"
    )
  )
  package var data: String?

  /// Creates an option without a value.
  package init() {}

  /// The folder.
  package var folder: DataFolder { folder(or: nil) }

  /// The folder, if another one is configured.
  package func folder(or configured: String?) -> DataFolder {
    let asked = data ?? configured ?? ProcessInfo.processInfo.environment["FRESHET_DATA"] ?? ""
    let path = asked.isEmpty ? "freshet-data" : asked
    return DataFolder(path: path.withoutTrailingSlashes)
  }
}
