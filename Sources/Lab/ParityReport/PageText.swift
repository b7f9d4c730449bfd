/// Escapes text for a page.
enum PageText {
  /// Returns text with all special characters escaped.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in ReportText.plain(text).unicodeScalars {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}
