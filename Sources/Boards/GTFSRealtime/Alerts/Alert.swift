/// A service alert (`Alert`).
package struct Alert: Hashable, Sendable {
  /// The id of the entity.
  package var entityID: String
  /// When to show the alert; always if empty.
  ///
  /// Deprecated by the reference in favour of ``communicationPeriods``, and what nearly all feeds use.
  package var activePeriods: [ActivePeriod] = []
  /// When to show the alert, if given.
  package var communicationPeriods: [ActivePeriod] = []
  /// When services are affected, if given.
  package var impactPeriods: [ActivePeriod] = []
  /// The entities it is about; any one of them is sufficient.
  package var informedEntities: [EntitySelector] = []
  /// Why.
  package var cause = AlertCause.unknownCause
  /// Its effect on riders.
  package var effect = AlertEffect.unknownEffect
  /// How much it matters.
  package var severity = AlertSeverity.unknownSeverity
  /// Where there is more to read.
  package var url: TranslatedText?
  /// The title.
  package var header: TranslatedText?
  /// The text.
  package var text: TranslatedText?
  /// The title as it is to be spoken.
  package var spokenHeader: TranslatedText?
  /// The text as it is to be spoken.
  package var spokenText: TranslatedText?
  /// The cause in the agency's words.
  package var causeDetail: TranslatedText?
  /// The effect in the agency's words.
  package var effectDetail: TranslatedText?
  /// The addresses of an image, by language.
  package var image: TranslatedText?
  /// The image in words.
  package var imageAlternative: TranslatedText?

  /// Creates an alert.
  package init(entityID: String) { self.entityID = entityID }

  /// Whether it is to be shown at an instant, in seconds since 1970-01-01T00:00:00Z: in a
  /// communication period, else in an active period; always if it has neither.
  package func isActive(at instant: UInt64) -> Bool {
    let periods = communicationPeriods.isEmpty ? activePeriods : communicationPeriods
    return periods.isEmpty || periods.contains { $0.contains(instant) }
  }
}
