import Freshness
public import FreshnessRuntime

/// The message for the user after a failure, and what they can do about it (R21).
public struct BoardMessage: Hashable, Sendable {
  /// What helps.
  public enum Action: Hashable, Sendable {
    /// Asking again, now.
    case retry
    /// Choosing another stop.
    case chooseStop
    /// Setting the server's address or the credentials right.
    case checkSettings
    /// Nothing: the engine retries automatically.
    case wait
  }

  /// One sentence that says what is wrong and what to do.
  public var text: String
  /// What helps.
  public var action: Action
  /// The message of the server or the system, as a detail.
  public var detail: String

  /// Creates the message for a failure of a board that is kept fresh; the board itself stays (R22).
  public init(_ failure: LiveFailure, in language: BoardLanguage) {
    detail = failure.description
    (action, text) = Self.message(failure.kind, language)
  }

  /// Creates the message for a failure of a single request, such as a search.
  public init(_ failure: StationboardFailure, in language: BoardLanguage) {
    detail = failure.description
    let kind: Failure.Kind =
      switch failure.code {
      case .unreachable: .unreachable
      case .server: .serverError
      case .refused: .refused
      case .unreadable: .undecodable(reason: 0)
      case .invalidAddress: .unauthorised
      }
    (action, text) = Self.message(kind, language)
    if failure.code == .invalidAddress { text = Self.badAddress(language) }
  }

  private static func badAddress(_ language: BoardLanguage) -> String {
    language.choose(
      "This is not the address of a server. Check it in the settings.",
      "Ce n'est pas l'adresse d'un serveur. Vérifiez-la dans les réglages.",
      "Das ist keine Adresse eines Servers. Bitte in den Einstellungen prüfen.",
      "Questo non è l'indirizzo di un server. Controllatelo nelle impostazioni."
    )
  }

  private static func message(
    _ kind: Failure.Kind,
    _ language: BoardLanguage
  ) -> (Action, String) {
    switch kind {
    case .refused, .gone:
      (
        .chooseStop,
        language.choose(
          "The server does not know this stop. Choose another one.",
          "Le serveur ne connaît pas cet arrêt. Choisissez-en un autre.",
          "Der Server kennt diese Haltestelle nicht. Bitte eine andere wählen.",
          "Il server non conosce questa fermata. Sceglietene un'altra."
        )
      )
    case .unauthorised:
      (
        .checkSettings,
        language.choose(
          "The server refuses access. Check the settings.",
          "Le serveur refuse l'accès. Vérifiez les réglages.",
          "Der Server verweigert den Zugang. Bitte die Einstellungen prüfen.",
          "Il server nega l'accesso. Controllate le impostazioni."
        )
      )
    case .throttled:
      (
        .wait,
        language.choose(
          "The server is busy and asked for a pause. The board comes back by itself.",
          "Le serveur est très sollicité et demande une pause. Le tableau revient tout seul.",
          "Der Server ist ausgelastet und bittet um eine Pause. Die Tafel kommt von selbst zurück.",
          "Il server è sovraccarico e chiede una pausa. Il tabellone torna da solo."
        )
      )
    case .unreachable, .timedOut:
      (
        .retry,
        language.choose(
          "The server cannot be reached. Check the connection, or try again.",
          "Le serveur est injoignable. Vérifiez la connexion ou réessayez.",
          "Der Server ist nicht erreichbar. Verbindung prüfen oder noch einmal versuchen.",
          "Il server non è raggiungibile. Controllate la connessione o riprovate."
        )
      )
    case .serverError, .undecodable, .missingBody:
      (
        .retry,
        language.choose(
          "The server has a problem. It is asked again by itself; you can try again now.",
          "Le serveur a un problème. La demande est répétée ; vous pouvez aussi réessayer.",
          "Der Server hat eine Störung. Es wird wieder gefragt; Sie können es jetzt versuchen.",
          "Il server ha un problema. La richiesta viene ripetuta; potete anche riprovare ora."
        )
      )
    }
  }
}
