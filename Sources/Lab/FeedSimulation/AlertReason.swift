import GTFSRealtime

/// The cause of a disruption as given by an alert.
struct AlertReason: Hashable, Sendable {
  var cause: AlertCause
  var messages: AlertMessages

  /// The causes of incidents.
  static let incidents: [AlertReason] = [
    AlertReason(
      .technicalProblem,
      AlertMessages(
        "Grund ist eine technische Störung. ",
        "La cause en est un dérangement technique. ",
        "La causa è un guasto tecnico. ",
        "The cause is a technical problem. "
      )
    ),
    AlertReason(
      .accident,
      AlertMessages(
        "Grund ist ein Unfall. ",
        "La cause en est un accident. ",
        "La causa è un incidente. ",
        "The cause is an accident. "
      )
    ),
    AlertReason(
      .demonstration,
      AlertMessages(
        "Grund ist eine Kundgebung. ",
        "La cause en est une manifestation. ",
        "La causa è una manifestazione. ",
        "The cause is a demonstration. "
      )
    ),
    AlertReason(
      .medicalEmergency,
      AlertMessages(
        "Grund ist ein medizinischer Notfall. ",
        "La cause en est une urgence médicale. ",
        "La causa è un'emergenza medica. ",
        "The cause is a medical emergency. "
      )
    ),
    AlertReason(
      .policeActivity,
      AlertMessages(
        "Grund ist ein Polizeieinsatz. ",
        "La cause en est une intervention de la police. ",
        "La causa è un intervento della polizia. ",
        "The cause is a police operation. "
      )
    ),
    AlertReason(
      .construction,
      AlertMessages(
        "Grund sind Bauarbeiten. ",
        "La cause en est un chantier. ",
        "La causa sono lavori di costruzione. ",
        "The cause is construction work. "
      )
    ),
  ]

  init(_ cause: AlertCause, _ messages: AlertMessages) {
    self.cause = cause
    self.messages = messages
  }
}
