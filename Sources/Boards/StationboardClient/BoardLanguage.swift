/// The languages a board speaks.
public enum BoardLanguage: String, CaseIterable, Hashable, Sendable {
  /// English.
  case en
  /// French.
  case fr
  /// German.
  case de
  /// Italian.
  case it

  /// The language of a tag such as `de-CH`; English for any other.
  public init(tag: String) {
    self = Self(rawValue: String(tag.lowercased().prefix(2))) ?? .en
  }

  /// Chooses one of four texts.
  func choose(_ en: String, _ fr: String, _ de: String, _ it: String) -> String {
    switch self {
    case .en: en
    case .fr: fr
    case .de: de
    case .it: it
    }
  }
}
