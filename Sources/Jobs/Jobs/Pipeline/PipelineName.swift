/// The name of a kind of job, as written on the wire: known ones, and any other text.
public struct PipelineName: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// Reads a table of books that a person exported somewhere.
  public static let csvImport = PipelineName(rawValue: "csv_import")
  /// Completes a list of books from a catalogue.
  public static let batchEnrichment = PipelineName(rawValue: "batch_enrichment")
  /// Finds books in photos of shelves.
  public static let aiScan = PipelineName(rawValue: "ai_scan")

  /// The names that are known here.
  public static let known: [PipelineName] = [.csvImport, .batchEnrichment, .aiScan]

  /// The text on the wire.
  public let rawValue: String

  /// Takes any text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The text on the wire.
  public var description: String { rawValue }
}
