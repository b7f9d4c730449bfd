import Hashing

/// Invented names of towns, each given once.
///
/// A name is a stem and an ending; when all pairs of a language are used, a qualifier makes new
/// ones. The pairs are walked in steps that share no factor with their number, so neighbors in the
/// sequence do not look alike.
struct TownNames: Sendable {
  private var given: [Language: Int] = [:]
  private var taken: Set<String>
  private let start: Int

  /// Creates a sequence that leaves out names already taken.
  init(taken: Set<String>, random: inout SplitMix64) {
    self.taken = taken
    self.start = random.below(1_000_000)
  }

  /// The next name in a language.
  mutating func next(in language: Language) -> String {
    let parts = Parts.of(language)
    let pairs = parts.stems.count * parts.endings.count
    while true {
      let index = self.given[language, default: 0]
      self.given[language] = index + 1
      let pair = (self.start + index % pairs * 7919) % pairs
      let plain =
        parts.stems[pair / parts.endings.count] + parts.endings[pair % parts.endings.count]
      let round = index / pairs
      let name: String
      if round <= parts.qualifiers.count {
        name = round == 0 ? plain : plain + parts.qualifiers[round - 1]
      } else {
        name = "\(plain) \(round)"
      }
      if self.taken.insert(name).inserted { return name }
    }
  }

  private struct Parts {
    let stems: [String]
    let endings: [String]
    let qualifiers: [String]

    init(_ stems: String, _ endings: String, qualifiers: [String]) {
      self.stems = stems.split(separator: " ").map { String($0) }
      self.endings = endings.split(separator: " ").map { String($0) }
      self.qualifiers = qualifiers
    }

    static func of(_ language: Language) -> Parts {
      switch language {
      case .french, .english: self.french
      case .german: self.german
      case .italian: self.italian
      }
    }

    private static let french = Parts(
      """
      Arz Bav Berc Boud Brem Carr Cham Chav Corb Corm Cugn Denz Donn Dull Echa Epal Ferl Flam Gill \
      Gorg Grav Jou Juss Lign Lov Luss Mar Mez Moll Mont Nov Orm Pail Perr Pomp Prav Rom Rov Sav \
      Serv Sorn Tann Torn Trey Vall Verm Vill Vuch Vuiss Yens
      """,
      """
      ens y ier ex az in igny ières ay oz eyres ancy on eret ettaz ignes od ollon emin aulaz ive \
      onnens
      """,
      qualifiers: [
        "-le-Grand", "-le-Petit", "-sur-Orge", "-la-Ville", "-dessus", "-dessous", "-les-Bois",
        "-sous-Roche", "-le-Jorat", "-sur-Glâne", "-les-Prés", "-le-Vieux",
      ]
    )

    private static let german = Parts(
      """
      Aer Alt Amm Ber Bett Birr Brunn Buch Dach Dürr Egg Esch Feld Flue Frick Gams Gisli Grün Hag \
      Hirz Hoch Hutt Iff Kapp Kirch Lang Lauf Lind Lütz Matt Meis Moos Mühl Nuss Ober Ott Rafz Rick \
      Rohr Rüt Schön Seng Stein Sulz Tann Thal Uett Unter Wald Wies Winz Zell Zimm Zoll
      """,
      """
      wil ikon ingen berg dorf bach heim au hofen ach felden stetten matt ried rüti schwil egg brugg \
      hausen kon
      """,
      qualifiers: [
        " im Tal", " am See", "-Dorf", "-Berg", " ob der Aare", "-Oberdorf", "-Unterdorf", "-Moos",
        " am Bach", "-Feld", "-Halden", "-Hof",
      ]
    )

    private static let italian = Parts(
      """
      Agn Arb Bad Bel Biog Bosc Brus Cad Calp Cam Cas Cav Cor Cur Gand Gord Lod Lum Mag Mal Mon Mor \
      Ner Ort Pian Pur Riv Sal Sess Sor Tav Ver Vez
      """,
      "asco engo ano ezzo ora one ago enzo inco ogno aglia eggio ate olo ona ese allo",
      qualifiers: [
        " di Sopra", " di Sotto", " Superiore", " Inferiore", " Valle", " Monte", " al Lago",
        " Paese", " Vecchio", " Nuovo",
      ]
    )
  }
}
