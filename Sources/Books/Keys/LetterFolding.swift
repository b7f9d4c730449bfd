/// Writes Latin letters without their marks, small.
///
/// The table is what Unicode's compatibility decomposition gives for the small letters of Latin-1, Latin
/// Extended-A, -B and Additional, and the usual spelling of the letters that have no decomposition. Letters
/// of other scripts stay as they are.
enum LetterFolding {
  private static let letters: [(String, String)] = [
    ("a", "àáâãäåāăąǎǟǡǻȁȃȧḁạảấầẩẫậắằẳẵặ"),
    ("b", "ḃḅḇ"),
    ("c", "çćĉċčḉ"),
    ("d", "ðďđḋḍḏḑḓ"),
    ("e", "èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ"),
    ("f", "ƒḟ"),
    ("g", "ĝğġģǧǵḡ"),
    ("h", "ĥħȟḣḥḧḩḫẖ"),
    ("i", "ìíîïĩīĭįıǐȉȋḭḯỉị"),
    ("j", "ĵǰ"),
    ("k", "ķĸǩḱḳḵ"),
    ("l", "ĺļľŀłḷḹḻḽ"),
    ("m", "ḿṁṃ"),
    ("n", "ñńņňŉŋǹṅṇṉṋ"),
    ("o", "òóôõöøōŏőơǒǫǭǿȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợ"),
    ("p", "ṕṗ"),
    ("r", "ŕŗřȑȓṙṛṝṟ"),
    ("s", "śŝşšſșṡṣṥṧṩẛ"),
    ("t", "ţťŧțṫṭṯṱẗ"),
    ("u", "ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự"),
    ("v", "ṽṿ"),
    ("w", "ŵẁẃẅẇẉẘ"),
    ("x", "ẋẍ"),
    ("y", "ýÿŷȳẏẙỳỵỷỹ"),
    ("z", "źżžẑẓẕ"),
    ("ae", "æǣǽ"),
    ("dz", "ǆǳ"),
    ("ij", "ĳ"),
    ("lj", "ǉ"),
    ("nj", "ǌ"),
    ("oe", "œ"),
    ("ss", "ß"),
    ("th", "þ"),
  ]

  private static let table: [UInt32: String] = {
    var table: [UInt32: String] = [:]
    for (plain, marked) in letters {
      for scalar in marked.unicodeScalars { table[scalar.value] = plain }
    }
    return table
  }()

  /// Appends a character, folded, in UTF-8.
  static func append(_ scalar: Unicode.Scalar, to text: inout [UInt8]) {
    if scalar.isASCII {
      let byte = UInt8(truncatingIfNeeded: scalar.value)
      text.append(0x41...0x5A ~= byte ? byte | 0x20 : byte)
      return
    }
    if let plain = table[scalar.value] {
      text.append(contentsOf: plain.utf8)
      return
    }
    for small in scalar.properties.lowercaseMapping.unicodeScalars {
      if let plain = table[small.value] {
        text.append(contentsOf: plain.utf8)
      } else if small.properties.generalCategory != .nonspacingMark {
        text.append(contentsOf: UTF8.encode(small) ?? UTF8.encodedReplacementCharacter)
      }
    }
  }
}
