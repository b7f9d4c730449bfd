import Foundation

/// Lets a person choose one of several things, by its number.
package enum TerminalChoice {
  /// How often a number is asked for.
  private static let attempts = 3

  /// Whether the user can be asked: standard input and standard error are terminals.
  package static var isPossible: Bool {
    isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
  }

  /// Shows the choices on standard error and reads the number of one.
  ///
  /// - Parameters:
  ///   - title: The line above them.
  ///   - choices: The choices, a line each.
  /// - Returns: The index of the chosen one; `nil` if none was chosen.
  package static func ask(_ title: String, _ choices: [String]) -> Int? {
    let width = String(choices.count).count
    var text = title + "\n"
    for (index, choice) in choices.enumerated() {
      let number = String(index + 1)
      text += String(repeating: " ", count: 2 + width - number.count) + "\(number)  \(choice)\n"
    }
    Terminal.complain(text)
    for _ in 0..<attempts {
      Terminal.complain("Which one? 1 to \(choices.count), or Enter for none: ")
      guard let line = readLine(), case let typed = line.trimmingCharacters(in: .whitespaces),
        !typed.isEmpty
      else { return nil }
      if let index = index(typed, of: choices.count) { return index }
    }
    return nil
  }

  /// Returns the index that a typed number represents.
  static func index(_ typed: String, of count: Int) -> Int? {
    guard let number = Int(typed), (1...count).contains(number) else { return nil }
    return number - 1
  }
}
