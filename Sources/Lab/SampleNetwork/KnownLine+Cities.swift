extension KnownLine {
  /// The lines of Lausanne and the boats on the lake before it.
  static let lausanne: [KnownLine] = [
    KnownLine(
      "m2",
      .tl,
      .metro,
      1,
      [
        8_591_999, 5, 8_592_050, 2, 8_591_818, 2, 8_590_442, 2, 8_579_237, 2, 8_592_017, 4,
        8_579_238,
      ]
    ).mixed(.weekly).with(.frequency).coloured("E6007E/FFFFFF"),
    KnownLine("m1", .tl, .metro, 1, [8_591_818, 18, 8_501_118]).mixed(.weekly)
      .with(.exactFrequency).coloured("009FE3/FFFFFF"),
    KnownLine(
      "1",
      .tl,
      .bus,
      90,
      [8_592_050, 3, 8_579_254, 2, 8_591_988, 2, 8_592_010, 2, 8_592_120]
    ).mixed(.weekly).coloured("D9001B/FFFFFF").beyond("Lausanne"),
    KnownLine(
      "7",
      .tl,
      .bus,
      80,
      [8_501_118, 14, 8_592_010, 2, 8_591_988, 2, 8_579_254, 2, 8_592_051, 2, 8_579_237]
    ).mixed(.weekly).coloured("6CB33F/FFFFFF"),
    KnownLine(
      "8",
      .tl,
      .bus,
      80,
      [
        8_592_051, 2, 8_579_254, 2, 8_591_988, 2, 8_590_442, 2, 8_504_176, 3, 8_592_082, 2,
        8_592_055,
      ]
    ).mixed(.weekly).with(.untimed).coloured("8E5BA6/FFFFFF"),
    KnownLine(
      "12",
      .tl,
      .bus,
      40,
      [8_592_050, 3, 8_592_051, 2, 8_579_237, 3, 8_592_017, 4, 8_504_176, 5, 8_592_050]
    ).mixed(.weekly).with([.loop, .blocks]).coloured("F39200/000000"),
    KnownLine(
      "22",
      .tl,
      .bus,
      60,
      [8_591_818, 3, 8_590_442, 2, 8_504_176, 3, 8_592_082, 2, 8_592_055, 3, 8_592_040]
    ).mixed(.weekly),
    KnownLine("21", .tl, .bus, 50, [8_592_050, 4, 8_592_010, 2, 8_592_120, 4, 8_504_176])
      .mixed(.weekly).coloured("009640/FFFFFF"),
    KnownLine(
      "N1",
      .tl,
      .bus,
      7,
      [
        8_591_999, 6, 8_592_050, 3, 8_579_254, 2, 8_591_988, 3, 8_590_442, 4, 8_592_017, 5,
        8_579_238, 6, 8_592_040,
      ]
    ).mixed(.nights).coloured("000000/FFD600"),
    KnownLine(
      "N5",
      .tl,
      .bus,
      4,
      [8_592_050, 3, 8_579_254, 2, 8_591_988, 2, 8_592_010, 3, 8_592_120, 4, 8_592_082]
    ).mixed(.nightly).with(.unnamed),
    KnownLine("3100", .cgn, .boat, 14, [8_501_073, 35, 8_501_091]).with(.blocks)
      .coloured("003A70/FFFFFF"),
    KnownLine("3150", .cgn, .boat, 6, [8_501_073, 55, 8_501_076, 25, 8_501_080])
      .with(.blocks),
  ]

  /// The lines of Genève.
  static let geneva: [KnownLine] = [
    KnownLine("12", .tpg, .tram, 110, [8_587_061, 4, 8_587_387, 4, 8_587_392, 4, 8_592_780])
      .mixed(.weekly).coloured("F5A300/000000"),
    KnownLine("14", .tpg, .tram, 100, [8_587_057, 3, 8_592_906, 2, 8_587_387, 3, 8_587_392])
      .mixed(.weekly).coloured("5A1E82/FFFFFF").beyond("Genève"),
    KnownLine("15", .tpg, .tram, 100, [8_587_057, 5, 8_592_906, 4, 8_587_392, 4, 8_592_789])
      .mixed(.weekly).coloured("84471C/FFFFFF"),
    KnownLine("18", .tpg, .tram, 150, [8_587_907, 1, 8_587_057, 4, 8_587_387, 4, 8_587_061])
      .mixed(.weekly).coloured("B82F89/FFFFFF"),
    KnownLine("5", .tpg, .bus, 70, [8_588_196, 8, 8_587_907, 4, 8_587_387, 3, 8_587_061])
      .mixed(.weekly).coloured("00ACE7/000000"),
    KnownLine("7", .tpg, .bus, 60, [8_587_387, 4, 8_592_850, 4, 8_592_874]).mixed(.weekly)
      .coloured("009B3A/FFFFFF").beyond("Genève"),
    KnownLine("31", .tpg, .bus, 40, [8_587_061, 12, 8_592_711]).mixed(.weekly),
    KnownLine("68", .tpg, .bus, 40, [8_587_907, 14, 8_501_000, 12, 1_401_572])
      .mixed(.weekly).coloured("EE7402/000000"),
    KnownLine("272", .tpg, .bus, 12, [8_587_907, 6, 8_587_392, 50, 1_400_079])
      .with(.alightOnly),
    KnownLine("NA", .tpg, .bus, 4, [8_587_061, 4, 8_587_387, 4, 8_587_907, 9, 8_588_196])
      .mixed(.nightly).coloured("000000/FFD600"),
  ]

  /// The lines of the other cities.
  static let cities: [KnownLine] = [
    KnownLine("4", .vbz, .tram, 100, [8_591_095, 2, 8_587_349, 5, 8_591_299]).mixed(.weekly)
      .coloured("11296F/FFFFFF").beyond("Zürich", reach: 12),
    KnownLine("6", .vbz, .tram, 100, [8_591_299, 4, 8_587_349, 2, 8_591_095]).mixed(.weekly)
      .coloured("CA7D3C/000000").beyond("Zürich"),
    KnownLine("13", .vbz, .tram, 100, [8_591_299, 4, 8_587_349]).mixed(.weekly)
      .coloured("FEDE00/000000").beyond("Zürich", reach: 9),
    KnownLine("Pb", .vbz, .funicular, 120, [8_591_095]).mixed(.weekly)
      .coloured("D8232A/FFFFFF").beyond("Zürich", reach: 1),
    KnownLine("SN4", .vbz, .bus, 6, [8_591_299, 5, 8_587_349, 3, 8_591_095]).mixed(.nights)
      .coloured("000000/FFD600").beyond("Zürich"),
    KnownLine("7", .bernmobil, .tram, 90, [8_571_396, 3, 8_571_395]).mixed(.weekly)
      .coloured("F4A100/000000").beyond("Bern", reach: 9),
    KnownLine("9", .bernmobil, .tram, 90, [8_571_395, 3, 8_571_396]).mixed(.weekly)
      .coloured("005CA9/FFFFFF").beyond("Bern", reach: 9),
    KnownLine("6", .bernmobil, .tram, 110, [8_571_396, 3, 8_571_395]).mixed(.weekly)
      .coloured("0068B4/FFFFFF"),
    KnownLine("3", .bernmobil, .tram, 130, [8_571_396, 3, 8_571_395]).mixed(.weekly)
      .coloured("8B3A8F/FFFFFF"),
    KnownLine("19", .bernmobil, .bus, 130, [8_571_395, 4, 8_571_396]).mixed(.weekly)
      .coloured("00A19A/000000"),
    KnownLine("8", .bernmobil, .tram, 110, [8_571_395, 3, 8_571_396]).mixed(.weekly)
      .coloured("6F4E9B/FFFFFF"),
    KnownLine("10", .bernmobil, .bus, 100, [8_571_396, 2, 8_571_395]).mixed(.weekly)
      .coloured("3DA535/FFFFFF").beyond("Bern"),
    KnownLine("M1", .bernmobil, .bus, 4, [8_571_395, 3, 8_571_396]).mixed(.nightly)
      .coloured("000000/FFD600").beyond("Bern"),
    KnownLine("1", .vbsg, .bus, 80, [8_574_095]).mixed(.weekly).coloured("E3000F/FFFFFF")
      .beyond("St. Gallen", reach: 10),
    KnownLine("1", .vbBiel, .bus, 70, [8_576_391]).mixed(.weekly).coloured("E2001A/FFFFFF")
      .beyond("Biel/Bienne", reach: 10),
  ]

  /// The buses between real stops outside the cities.
  static let country: [KnownLine] = [
    KnownLine("201", .vmcv, .bus, 60, [8_501_200, 9, 8_593_952, 14, 8_501_300])
      .mixed(.weekly).coloured("E2007A/FFFFFF"),
    KnownLine("601", .travys, .bus, 45, [8_504_200, 5, 8_579_294]).mixed(.weekly),
    KnownLine("370", .transN, .bus, 18, [8_504_221, 38, 8_593_679]).mixed(.weekly)
      .coloured("0069B4/FFFFFF"),
    KnownLine("544", .tpf, .bus, 16, [8_504_100, 34, 8_577_829]).mixed(.rural),
    KnownLine("604", .bvb, .bus, 36, [8_500_010, 20, 1_401_514]).mixed(.weekly)
      .coloured("009EE0/FFFFFF"),
    KnownLine("900", .postAuto, .bus, 2, [8_501_008, 285, 8_740_952]).with(.alightOnly),
    KnownLine("80", .postAuto, .bus, 20, [8_574_095, 8, 8_506_302]).mixed(.weekly)
      .coloured("FFDE00/000000"),
    KnownLine("2", .vbBiel, .bus, 40, [8_576_391, 3, 8_504_300]).mixed(.weekly)
      .coloured("009FE3/FFFFFF"),
  ]
}
