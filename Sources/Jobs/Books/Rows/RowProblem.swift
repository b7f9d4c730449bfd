/// Something about a row that its owner should know.
package struct RowProblem: Hashable, Sendable, CustomStringConvertible {
  /// The kinds of problems.
  package enum Code: String, Hashable, Sendable, CaseIterable {
    // The row is not imported.

    /// A quote opens a field and nothing closes it.
    case quoteUnclosed = "quote_unclosed"
    /// The row is longer than the limit.
    case rowTooLong = "row_too_long"
    /// There are more or fewer fields than the header has.
    case columnCount = "column_count"
    /// The title is missing.
    case titleMissing = "title_missing"
    /// The title is longer than the limit.
    case titleTooLong = "title_too_long"
    /// The library could not take the book.
    case notStored = "not_stored"

    // The row is imported if it has a title; a row that is nothing but a broken number is not.
    /// The check digit of the only ISBN is wrong.
    case isbnChecksum = "isbn_checksum"
    /// The only ISBN has neither ten nor thirteen digits.
    case isbnLength = "isbn_length"
    /// The only ISBN identifies something other than a book.
    case isbnPrefix = "isbn_prefix"
    /// The only ISBN is the number of printed music.
    case isbnMusic = "isbn_music"
    /// A spreadsheet has rounded the only ISBN.
    case isbnExcelDamaged = "isbn_excel_damaged"

    // Warnings: the row is imported.

    /// Quotes break the grammar and were read as text.
    case quoteRepaired = "quote_repaired"
    /// The author is missing.
    case authorMissing = "author_missing"
    /// Zeros that a spreadsheet cut off an ISBN are back.
    case isbnZerosRestored = "isbn_zeros_restored"
    /// An ISBN in scientific notation was complete.
    case isbnNotationRepaired = "isbn_notation_repaired"
    /// Equal digits take the place of an ISBN.
    case isbnPlaceholder = "isbn_placeholder"
    /// Other text takes the place of an ISBN.
    case isbnIgnored = "isbn_ignored"
    /// One ISBN is broken and another one of the row is sound.
    case isbnBrokenUnused = "isbn_broken_unused"
    /// The ISBNs of the row are of different editions; the first of thirteen digits counts.
    case isbnMismatch = "isbn_mismatch"
    /// The ISBN is that of another book of the library or the file.
    case isbnTaken = "isbn_taken"
    /// An earlier row has the same book and says something else.
    case duplicateDiffers = "duplicate_differs"
    /// The service has changed what a person has changed in the library too.
    case keptHere = "kept_here"
    /// The book is not in the export of the service any more.
    case removedAtSource = "removed_at_source"
    /// The rating is neither a number of the column's scale nor stars, a fraction or a percentage.
    case ratingUnreadable = "rating_unreadable"
    /// Either of two numbers of a date may be the month; the date is left out.
    case dateAmbiguous = "date_ambiguous"
    /// The text is not a valid date and is left out.
    case dateUnreadable = "date_unreadable"
    /// The date was a spreadsheet's number of days.
    case dateFromSerial = "date_from_serial"
    /// The date was a number of seconds since 1970.
    case dateFromEpoch = "date_from_epoch"
    /// The text is not a number and is left out.
    case numberUnreadable = "number_unreadable"
    /// A list has more elements than the limit; the rest is left out.
    case listTooLong = "list_too_long"

    var explanation: String {
      switch self {
      case .quoteUnclosed: "a quote opens a field and is never closed"
      case .rowTooLong: "the row is too long"
      case .columnCount: "the number of fields is not that of the header"
      case .titleMissing: "there is no title"
      case .titleTooLong: "the title is too long; a quote may be missing"
      case .isbnChecksum: "the check digit of the ISBN is wrong"
      case .isbnLength: "an ISBN has 10 or 13 digits"
      case .isbnPrefix: "the number is not that of a book; an ISBN begins with 978 or 979"
      case .isbnMusic: "the number is that of printed music (ISMN), not of a book"
      case .isbnExcelDamaged:
        "a spreadsheet has rounded the ISBN; format the column as text and enter it again"
      case .notStored: "the library could not store the book"
      case .quoteRepaired: "quotes inside the field are not doubled; they are kept as text"
      case .authorMissing: "there is no author"
      case .isbnZerosRestored: "zeros that were cut off the ISBN are back"
      case .isbnNotationRepaired: "the ISBN was written as a decimal number"
      case .isbnPlaceholder: "the digits stand for no ISBN; the book has none"
      case .isbnIgnored: "the text is not an ISBN"
      case .isbnBrokenUnused: "this ISBN is broken; the other one of the row is used"
      case .isbnMismatch: "the ISBNs of the row are of different books"
      case .isbnTaken: "the ISBN is that of another book; the book is imported without it"
      case .duplicateDiffers:
        "an earlier row has the same book and says something else; that counts"
      case .keptHere: "this was changed in the library too, and stays as it is there"
      case .removedAtSource: "the book is not in the list of the service any more"
      case .ratingUnreadable:
        "a rating is a number from 0 to 5, stars, a fraction such as 4/5, or a percentage"
      case .dateAmbiguous: "it cannot be told which number is the month; write YYYY-MM-DD"
      case .dateUnreadable: "the text is not a date"
      case .dateFromSerial: "the number is read as a spreadsheet's date"
      case .dateFromEpoch: "the number is read as seconds since 1970, in UTC"
      case .numberUnreadable: "the text is not a number"
      case .listTooLong: "the list is too long; the rest is left out"
      }
    }
  }

  /// The most characters of a value that are kept; a combining accent on its own is one.
  package static let longestValue = 100

  /// What kind of problem it is.
  package var code: Code
  /// The column as the header writes it; empty for the row as a whole.
  package var column: String
  /// The value, cut after ``longestValue`` characters.
  package var value: String
  /// What may have been meant, for a person to decide.
  package var proposal: String?

  /// Creates a problem.
  package init(_ code: Code, column: String = "", value: String = "", proposal: String? = nil) {
    self.code = code
    self.column = column
    self.proposal = proposal
    let start = String.UnicodeScalarView(value.unicodeScalars.prefix(Self.longestValue))
    self.value = CellText.onOneLine(String(start))
  }

  /// One sentence for people, with the column and the value.
  package var description: String {
    var text = column.isEmpty ? "" : "\(column): "
    text += code.explanation
    return value.isEmpty ? text : text + " (\(value))"
  }
}
