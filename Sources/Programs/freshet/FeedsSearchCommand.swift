import ArgumentParser
import Commands
import Foundation
import GTFS
import StationboardServer

/// The option that says which catalogue.
struct CatalogueChoice: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A catalogue of feeds: the CSV file of the Mobility Database, a DMFR file, or a folder of DMFR files.",
      valueName: "path"
    )
  )
  var catalogue: String?

  /// Reads the catalogue.
  func read() throws(FeedError) -> FeedCatalogue { try FeedCatalogue(path: catalogue ?? "") }
}

/// `freshet feeds search`.
struct FeedsSearchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Find timetables in a catalogue of feeds.",
    discussion: """
      Case and accents do not count, and the beginning of a word is enough. What is found is added by its id:

        freshet feeds search zurich --catalogue feeds_v2.csv
        freshet feeds add mdb-772 --catalogue feeds_v2.csv

      The catalogue of the Mobility Database is a CSV file, that of Transitland a folder of DMFR files. \
      The exit code is 1 if nothing is found.
      """
  )

  /// The most entries that are printed.
  private static let most = 20

  @Argument(help: "Words of the operator's name, the place, the id or the address.")
  var words: [String]

  @OptionGroup var catalogue: CatalogueChoice

  @Flag(help: "Print all that is found as JSON.")
  var json = false

  func validate() throws {
    guard catalogue.catalogue != nil else {
      throw ValidationError("which catalogue? --catalogue PATH")
    }
  }

  func run() throws {
    let found = try FeedsCommand.attempt("search") {
      () throws(FeedError) in try catalogue.read().search(words.joined(separator: " "))
    }
    if json {
      Terminal.write(try PrintedJSON.document(found))
    } else {
      for entry in found.prefix(Self.most) { Terminal.write(Self.text(entry)) }
      if found.count > Self.most {
        Terminal.write("… and \(Quantity.count(found.count - Self.most)) more; name more words\n")
      }
      if found.isEmpty { Terminal.complain("freshet feeds search: nothing is found\n") }
    }
    if found.isEmpty { throw ExitCode(.negative) }
  }

  private static func text(_ entry: FeedCatalogue.Entry) -> String {
    var lines = ["\(entry.id)  \(entry.name)" + (entry.place.isEmpty ? "" : " · \(entry.place)")]
    lines.append("    \(entry.address)")
    if let access = entry.access {
      lines.append("    needs access" + (access.isEmpty ? "" : ": \(access)"))
    }
    if let license = entry.license { lines.append("    license: \(license)") }
    if entry.isInactive { lines.append("    not kept up, says the catalogue") }
    return lines.map { Terminal.plain($0) + "\n" }.joined()
  }
}
