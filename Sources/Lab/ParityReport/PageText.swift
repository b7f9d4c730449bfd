/// Text inside a page.
enum PageText {
  /// A text whose every character stands for itself.
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
