package import Books

/// Finds books in a photo: programs on this machine, a service on the network.
package protocol ShelfReader: Sendable {
  /// A short name for reports: `local`, `vision`.
  var name: String { get }

  /// Finds the books of a photo.
  ///
  /// - Parameter photo: The photo.
  /// - Returns: The sightings, at most ``ScanLimits/books``.
  /// - Throws: ``ScanError``, or `CancellationError`.
  func read(_ photo: Photo) async throws -> Sightings
}

/// A photo on its way to a reader.
package struct Photo: Sendable {
  /// The bytes, as they were sent.
  package var bytes: [UInt8]
  /// What its header says.
  package var header: PhotoHeader

  /// Creates a photo from its bytes, and reads its header.
  ///
  /// - Throws: ``ScanError`` if the bytes are not a photo, or too large.
  package init(_ bytes: [UInt8], limits: ScanLimits = ScanLimits()) throws(ScanError) {
    header = try PhotoHeader(bytes, limits: limits)
    self.bytes = bytes
  }
}

/// The books and texts that a reader has seen in a photo.
package struct Sightings: Hashable, Sendable {
  /// The books.
  package var books: [Sighting]
  /// The readers: `zbarimg, tesseract`, or a model's name.
  package var readBy: String
  /// Notes for the user, such as a missing program.
  package var notes: [String] = []

  /// Creates a list.
  package init(books: [Sighting], readBy: String, notes: [String] = []) {
    self.books = books
    self.readBy = readBy
    self.notes = notes
  }
}

/// A book that was seen, before any catalogue was asked.
package struct Sighting: Hashable, Sendable {
  /// Where it is: parts of the photo's width and height, 0 to 1.
  package struct Box: Hashable, Sendable {
    /// The left edge.
    package var x: Double
    /// The upper edge.
    package var y: Double
    /// The width.
    package var width: Double
    /// The height.
    package var height: Double

    /// Creates a box.
    package init(x: Double, y: Double, width: Double, height: Double) {
      self.x = x
      self.y = y
      self.width = width
      self.height = height
    }
  }

  /// How it was recognised.
  package enum Kind: String, Hashable, Sendable {
    /// A barcode or a printed number, with its check digit.
    case isbn
    /// Words on a spine or a cover, whose order means nothing.
    case text
    /// A title, and an author if there is one, as a model gives them.
    case title
  }

  /// How it was recognised.
  package var kind: Kind
  /// The number.
  package var isbn: ISBN?
  /// The title, or the words of a spine.
  package var title: String
  /// The author.
  package var author: String?
  /// How sure the reader is, 0 to 1; `nil` if it does not say.
  package var confidence: Double?
  /// Where it is.
  package var box: Box?

  /// Creates a sighting.
  package init(
    _ kind: Kind,
    title: String = "",
    author: String? = nil,
    isbn: ISBN? = nil,
    confidence: Double? = nil,
    box: Box? = nil
  ) {
    self.kind = kind
    self.title = title
    self.author = author
    self.isbn = isbn
    self.confidence = confidence
    self.box = box
  }
}
