/// The text of an alert without markup.
///
/// Removes tags and control characters, replaces block tags and `<br>` with line breaks, decodes
/// character references, and collapses whitespace. Anything that is not a tag stays: "a < b".
struct PlainText {
  /// Tags that begin or end a line.
  private static let blocks: Set<String> = [
    "br", "p", "div", "li", "ul", "ol", "tr", "table", "h1", "h2", "h3", "h4", "h5", "h6", "hr",
    "section", "article", "blockquote",
  ]
  /// Elements whose content is not displayed text.
  private static let hidden: Set<String> = ["script", "style", "head", "title"]
  private static let named: [String: Unicode.Scalar] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "shy": "\u{AD}",
    "ndash": "\u{2013}", "mdash": "\u{2014}", "hellip": "\u{2026}", "laquo": "\u{AB}",
    "raquo": "\u{BB}", "rsquo": "\u{2019}", "lsquo": "\u{2018}", "ldquo": "\u{201C}",
    "rdquo": "\u{201D}", "bdquo": "\u{201E}", "euro": "\u{20AC}", "bull": "\u{2022}",
    "rarr": "\u{2192}", "larr": "\u{2190}", "auml": "\u{E4}", "ouml": "\u{F6}", "uuml": "\u{FC}",
    "Auml": "\u{C4}", "Ouml": "\u{D6}", "Uuml": "\u{DC}", "szlig": "\u{DF}", "eacute": "\u{E9}",
    "Eacute": "\u{C9}", "egrave": "\u{E8}", "Egrave": "\u{C8}", "agrave": "\u{E0}",
    "Agrave": "\u{C0}", "acirc": "\u{E2}", "ecirc": "\u{EA}", "icirc": "\u{EE}", "ocirc": "\u{F4}",
    "ucirc": "\u{FB}", "ccedil": "\u{E7}", "Ccedil": "\u{C7}", "ograve": "\u{F2}",
    "ugrave": "\u{F9}", "igrave": "\u{EC}", "iuml": "\u{EF}", "euml": "\u{EB}",
  ]

  /// How long a tag or a character reference can be, in Unicode scalars.
  private static let longestTag = 1_000
  private static let longestReference = 12

  private var output = String.UnicodeScalarView()
  private var count = 0
  private var isSpacePending = false
  private var isBreakPending = false
  private let limit: Int

  /// The text, at most `limit` Unicode scalars of it and then an ellipsis.
  static func read(_ text: String, limit: Int) -> String {
    var reader = PlainText(limit: limit)
    reader.read(Array(text.unicodeScalars))
    return String(reader.finished())
  }

  private init(limit: Int) { self.limit = limit }

  private mutating func read(_ source: [Unicode.Scalar]) {
    var place = 0
    // One more than the limit shows that something is cut.
    while place < source.count, count <= limit {
      let scalar = source[place]
      if scalar == "<", let tag = Self.tag(source, place) {
        place = tag.end
        if Self.blocks.contains(tag.name) { isBreakPending = true }
        if tag.opens, Self.hidden.contains(tag.name) {
          place = Self.end(of: tag.name, source, place)
        }
      } else if scalar == "&", let reference = Self.reference(source, place) {
        append(reference.scalar)
        place = reference.end
      } else {
        append(scalar)
        place += 1
      }
    }
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    if scalar == "\n" || scalar == "\r" || scalar == "\u{2028}" || scalar == "\u{2029}" {
      isBreakPending = true
      return
    }
    if scalar == " " || scalar == "\t" || scalar == "\u{A0}" {
      isSpacePending = true
      return
    }
    if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) { return }
    if count > 0, isBreakPending || isSpacePending {
      output.append(isBreakPending ? "\n" : " ")
      count += 1
    }
    isBreakPending = false
    isSpacePending = false
    output.append(scalar)
    count += 1
  }

  private func finished() -> String.UnicodeScalarView {
    guard count > limit else { return output }
    var scalars = Array(output.prefix(max(0, limit - 1)))
    // Cut at a word unless it is very long.
    let longestWord = 40
    if let space = scalars.lastIndex(where: { $0 == " " || $0 == "\n" }),
      scalars.count - space <= longestWord
    {
      scalars.removeSubrange(space...)
    }
    var cut = String.UnicodeScalarView()
    cut.append(contentsOf: scalars)
    cut.append("\u{2026}")
    return cut
  }

  /// The tag at a position; `nil` if no tag begins there.
  private static func tag(
    _ source: [Unicode.Scalar],
    _ start: Int
  ) -> (name: String, opens: Bool, end: Int)? {
    var place = start + 1
    guard place < source.count else { return nil }
    let isClosing = source[place] == "/"
    let isMarkup = source[place] == "!" || source[place] == "?"
    if isClosing { place += 1 }
    guard isMarkup || (place < source.count && isLetter(source[place])) else { return nil }
    var name = ""
    while place < source.count, isLetter(source[place]) || (0x30...0x39) ~= source[place].value {
      name.unicodeScalars.append(source[place])
      place += 1
    }
    let most = min(source.count, start + longestTag)
    while place < most, source[place] != ">" { place += 1 }
    guard place < most else { return nil }
    return (name.lowercased(), !isClosing && source[place - 1] != "/", place + 1)
  }

  /// The place after the closing tag of an element; the end if it is not closed.
  private static func end(of name: String, _ source: [Unicode.Scalar], _ start: Int) -> Int {
    var place = start
    while place < source.count {
      if source[place] == "<", let tag = tag(source, place), tag.name == name, !tag.opens {
        return tag.end
      }
      place += 1
    }
    return place
  }

  /// The character reference at a position; `nil` if none begins there.
  private static func reference(
    _ source: [Unicode.Scalar],
    _ start: Int
  ) -> (scalar: Unicode.Scalar, end: Int)? {
    var name = ""
    var place = start + 1
    let most = min(source.count, start + longestReference)
    while place < most, source[place] != ";" {
      name.unicodeScalars.append(source[place])
      place += 1
    }
    guard place < most else { return nil }
    let scalar: Unicode.Scalar? =
      if name.hasPrefix("#x") || name.hasPrefix("#X") {
        UInt32(name.dropFirst(2), radix: 16).flatMap { Unicode.Scalar($0) }
      } else if name.hasPrefix("#") {
        UInt32(name.dropFirst()).flatMap { Unicode.Scalar($0) }
      } else {
        named[name]
      }
    return scalar.map { ($0, place + 1) }
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    (0x41...0x5A) ~= scalar.value || (0x61...0x7A) ~= scalar.value
  }
}
