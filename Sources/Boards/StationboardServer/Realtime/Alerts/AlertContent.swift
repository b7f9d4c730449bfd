import GTFSRealtime
import NIOCore

/// An alert as boards show it: its texts without mark-up and as JSON in the languages of the contract.
struct AlertContent: Sendable {
  /// The id of its entity.
  let id: String
  /// When it is shown.
  let periods: AlertPeriods
  /// A hash of all that a person can see of it, the same in every run of the program.
  let contentHash: UInt64
  /// The same alert without mark-up, its url only if it is one of the web.
  private let alert: Alert
  /// The language of the timetable.
  private let feedLanguage: String?
  /// The place in ``renderings`` for no language, and for each of ``RequestLanguage/known``.
  private let places: [Int]
  private let renderings: [[UInt8]]

  /// Renders an alert.
  ///
  /// - Parameters:
  ///   - source: The alert.
  ///   - feedLanguage: The language of the timetable; `nil` if it does not say.
  init(_ source: Alert, feedLanguage: String?) {
    self.feedLanguage = feedLanguage
    id = source.entityID
    periods = AlertPeriods(source)
    var alert = source
    alert.informedEntities = []
    alert.header = Self.plain(source.header, AlertLimits.header)
    alert.text = Self.plain(source.text, AlertLimits.description)
    alert.url = Self.addresses(source.url)
    alert.causeDetail = Self.plain(source.causeDetail, AlertLimits.detail)
    alert.effectDetail = Self.plain(source.effectDetail, AlertLimits.detail)
    alert.image = Self.addresses(source.image)
    alert.imageAlternative = Self.plain(source.imageAlternative, AlertLimits.detail)
    self.alert = alert
    var places: [Int] = []
    var choices: [Choice] = []
    for language in [nil] + RequestLanguage.known {
      let choice = Choice(alert, AlertLanguage.preferences(language, feed: feedLanguage))
      if let known = choices.firstIndex(of: choice) {
        places.append(known)
      } else {
        places.append(choices.count)
        choices.append(choice)
      }
    }
    self.places = places
    renderings = choices.map { Self.json(alert, $0) }
    contentHash = Self.hash(alert, periods)
  }

  /// The members of the alert's JSON object from `severity` on, with the comma before them.
  ///
  /// - Parameter language: The language asked for; `nil` for none in particular.
  /// - Returns: The bytes, without the bracket that closes the object.
  func members(_ language: String?) -> [UInt8] {
    guard let language else { return renderings[places[0]] }
    if let known = RequestLanguage.known.firstIndex(of: language) {
      return renderings[places[known + 1]]
    }
    return Self.json(alert, Choice(alert, AlertLanguage.preferences(language, feed: feedLanguage)))
  }

  // MARK: Texts

  /// Which translation of each text is shown.
  private struct Choice: Equatable {
    var header: Int?
    var description: Int?
    var url: Int?
    var causeDetail: Int?
    var effectDetail: Int?
    var image: Int?
    var imageAlternative: Int?

    init(_ alert: Alert, _ preferences: [String]) {
      let header = AlertLanguage.choose(alert.header?.translations ?? [], preferences)
      // The text follows the title where it can.
      let tag = header.flatMap { alert.header?.translations[$0].language?.lowercased() }
      let following = [tag].compactMap(\.self) + preferences
      self.header = header
      description = AlertLanguage.choose(alert.text?.translations ?? [], following)
      func choose(_ text: TranslatedText?) -> Int? {
        AlertLanguage.choose(text?.translations ?? [], following)
      }
      url = choose(alert.url)
      causeDetail = choose(alert.causeDetail)
      effectDetail = choose(alert.effectDetail)
      image = choose(alert.image)
      imageAlternative = choose(alert.imageAlternative)
    }
  }

  private static func plain(_ text: TranslatedText?, _ limit: Int) -> TranslatedText? {
    text.map { text in
      TranslatedText(
        text.translations.map {
          .init(text: PlainText.read($0.text, limit: limit), language: $0.language)
        }
      )
    }
  }

  /// The addresses of the web among addresses.
  private static func addresses(_ text: TranslatedText?) -> TranslatedText? {
    text.map { text in
      TranslatedText(
        text.translations.filter { translation in
          let address = translation.text
          let isWeb = ["https://", "http://"].contains { scheme in
            address.utf8.count > scheme.utf8.count
              && address.prefix(scheme.count).lowercased() == scheme
          }
          return isWeb && address.utf8.count <= AlertLimits.url
            && address.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
        }
      )
    }
  }

  private static func json(_ alert: Alert, _ choice: Choice) -> [UInt8] {
    func chosen(_ text: TranslatedText?, _ place: Int?) -> TranslatedText.Translation? {
      place.flatMap { text?.translations[$0] }
    }
    let header = chosen(alert.header, choice.header)
    let description = chosen(alert.text, choice.description)
    let language = header == nil ? description?.language : header?.language
    var json = JSONBytes(capacity: 1_024)
    json.raw(",\"severity\":\"")
    json.raw(AlertMessages.severity(alert.severity).name)
    json.raw("\",\"effect\":\"")
    json.raw(AlertMessages.effect(alert.effect).name)
    json.raw("\",\"cause\":\"")
    json.raw(AlertMessages.cause(alert.cause))
    json.raw("\",\"header\":")
    json.string(header?.text)
    json.raw(",\"description\":")
    json.string(description?.text)
    json.raw(",\"url\":")
    json.string(chosen(alert.url, choice.url)?.text)
    json.raw(",\"language\":")
    json.string(language)
    if let description, description.language != language {
      json.raw(",\"descriptionLanguage\":")
      json.string(description.language)
    }
    // Few feeds have these: where there is nothing to say, the members are left out.
    for (name, text, place) in [
      ("causeDetail", alert.causeDetail, choice.causeDetail),
      ("effectDetail", alert.effectDetail, choice.effectDetail),
    ] {
      guard let detail = chosen(text, place), !detail.text.isEmpty else { continue }
      json.raw(",")
      json.string(name)
      json.raw(":")
      json.string(detail.text)
    }
    if let image = chosen(alert.image, choice.image) {
      json.raw(",\"image\":{\"url\":")
      json.string(image.text)
      json.raw(",\"alternativeText\":")
      json.string(chosen(alert.imageAlternative, choice.imageAlternative)?.text)
      json.raw("}")
    }
    return Array(json.buffer.readableBytesView)
  }

  private static func hash(_ alert: Alert, _ periods: AlertPeriods) -> UInt64 {
    var hash = ContentHash()
    hash.add(alert.entityID)
    hash.add(UInt64(AlertMessages.severity(alert.severity).place))
    hash.add(UInt64(AlertMessages.effect(alert.effect).place))
    hash.add(AlertMessages.cause(alert.cause).description)
    let details = [
      alert.causeDetail, alert.effectDetail, alert.image, alert.imageAlternative,
    ]
    for text in [alert.header, alert.text, alert.url]
      + (details.contains { $0 != nil } ? details : [])
    {
      let translations = text?.translations ?? []
      hash.add(UInt64(translations.count))
      for translation in translations {
        hash.add(translation.language)
        hash.add(translation.text)
      }
    }
    hash.add(UInt64(periods.spans.count))
    for span in periods.spans {
      hash.add(span.start)
      hash.add(span.end)
    }
    return hash.value
  }
}
