/// The companies of the network.
enum Agency: String, CaseIterable, Sendable {
  case sbb = "11"
  case bls = "33"
  case thurbo = "65"
  case sob = "82"
  case rhb = "72"
  case leb = "55"
  case tl = "151"
  case tpg = "881"
  case vbz = "849"
  case bernmobil = "827"
  case bvb = "823"
  case vbsg = "885"
  case vbBiel = "889"
  case vbl = "820"
  case tpl = "955"
  case tpf = "834"
  case vmcv = "876"
  case transN = "153"
  case travys = "764"
  case cgn = "184"
  case postAuto = "801"

  var name: String {
    switch self {
    case .sbb: "Schweizerische Bundesbahnen SBB"
    case .bls: "BLS AG"
    case .thurbo: "THURBO"
    case .sob: "Schweizerische Südostbahn"
    case .rhb: "Rhätische Bahn"
    case .leb: "Lausanne-Echallens-Bercher"
    case .tl: "Transports publics de la Région Lausannoise"
    case .tpg: "Transports Publics Genevois"
    case .vbz: "Verkehrsbetriebe Zürich"
    case .bernmobil: "Städtische Verkehrsbetriebe Bern"
    case .bvb: "Basler Verkehrs-Betriebe"
    case .vbsg: "Verkehrsbetriebe der Stadt St.Gallen"
    case .vbBiel: "Verkehrsbetriebe Biel"
    case .vbl: "Verkehrsbetriebe Luzern"
    case .tpl: "Trasporti Pubblici Luganesi"
    case .tpf: "Transports publics fribourgeois"
    case .vmcv: "Transports publics Vevey-Montreux-Chillon-Villeneuve"
    case .transN: "Transports Publics Neuchâtelois"
    case .travys: "Travys"
    case .cgn: "CGN SA"
    case .postAuto: "PostAuto Schweiz"
    }
  }

  var address: String {
    switch self {
    case .sbb: "https://www.sbb.ch/"
    case .bls: "https://www.bls.ch/"
    case .thurbo: "https://www.thurbo.ch/"
    case .sob: "https://www.sob.ch/"
    case .rhb: "https://www.rhb.ch/"
    case .leb, .tl: "https://www.t-l.ch/"
    case .tpg: "https://www.tpg.ch/"
    case .vbz: "https://www.stadt-zuerich.ch/vbz/"
    case .bernmobil: "https://www.bernmobil.ch/"
    case .bvb: "https://www.bvb.ch/"
    case .vbsg: "https://www.vbsg.ch/"
    case .vbBiel: "https://www.vb-tpb.ch/"
    case .vbl: "https://www.vbl.ch/"
    case .tpl: "https://www.tplsa.ch/"
    case .tpf: "https://www.tpf.ch/"
    case .vmcv: "https://www.vmcv.ch/"
    case .transN: "https://www.transn.ch/"
    case .travys: "https://www.travys.ch/"
    case .cgn: "https://www.cgn.ch/"
    case .postAuto: "https://www.postauto.ch/"
    }
  }

  var language: Language {
    switch self {
    case .leb, .tl, .tpg, .tpf, .vmcv, .transN, .travys, .cgn: .french
    case .tpl: .italian
    default: .german
    }
  }

  /// The number that begins the identifiers of its routes.
  var routePrefix: Int {
    switch self {
    case .sbb, .bls, .thurbo, .sob, .rhb, .leb: 91
    case .postAuto: 96
    default: 92
    }
  }
}

/// The languages of the network.
enum Language: String, CaseIterable, Sendable {
  case french = "fr"
  case german = "de"
  case italian = "it"
  case english = "en"
}
