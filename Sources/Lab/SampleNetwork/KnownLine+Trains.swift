extension KnownLine {
  private static let red = "EB0000/FFFFFF"

  /// The trains.
  static let trains: [KnownLine] = [
    KnownLine(
      "IC1",
      .sbb,
      .intercity,
      19,
      [
        8_501_026, 7, 8_501_008, 36, 8_501_120, 44, 8_504_100, 22, 8_507_000, 56, 8_503_000, 10,
        8_503_016, 13, 8_506_000, 35, 8_506_302,
      ]
    ).with(.extras).coloured(red),
    KnownLine(
      "IC2",
      .sbb,
      .intercity,
      9,
      [8_503_000, 23, 8_502_204, 72, 8_505_213, 15, 8_505_300]
    ).coloured(red),
    KnownLine("IC3", .sbb, .intercity, 18, [8_500_010, 53, 8_503_000, 74, 8_509_000])
      .coloured(red),
    KnownLine(
      "IC5",
      .sbb,
      .intercity,
      18,
      [
        8_501_026, 7, 8_501_008, 49, 8_504_200, 18, 8_504_221, 18, 8_504_300, 44, 8_500_218, 33,
        8_503_000,
      ]
    ).coloured(red),
    KnownLine(
      "IC5",
      .sbb,
      .intercity,
      17,
      [
        8_501_120, 20, 8_504_200, 18, 8_504_221, 18, 8_504_300, 44, 8_500_218, 33, 8_503_000, 25,
        8_506_000, 36, 8_506_302,
      ]
    ).coloured(red),
    KnownLine(
      "IC6",
      .sbb,
      .intercity,
      12,
      [8_500_010, 26, 8_500_218, 27, 8_507_000, 18, 8_507_100, 36, 8_501_609]
    ).coloured(red),
    KnownLine(
      "IC8",
      .sbb,
      .intercity,
      16,
      [8_501_609, 36, 8_507_100, 18, 8_507_000, 56, 8_503_000]
    ).with(.extras).coloured(red),
    KnownLine(
      "IC21",
      .sbb,
      .intercity,
      9,
      [8_500_010, 26, 8_500_218, 35, 8_505_000, 84, 8_505_213, 15, 8_505_300]
    ).coloured(red),
    KnownLine(
      "IC61",
      .sbb,
      .intercity,
      10,
      [8_507_492, 36, 8_507_100, 18, 8_507_000, 27, 8_500_218, 26, 8_500_010]
    ).coloured(red),
    KnownLine(
      "IR15",
      .sbb,
      .interregional,
      18,
      [
        8_501_026, 7, 8_501_008, 36, 8_501_120, 44, 8_504_100, 22, 8_507_000, 62, 8_505_000,
      ]
    ).coloured(red),
    KnownLine(
      "IR90",
      .sbb,
      .interregional,
      19,
      [
        8_501_026, 7, 8_501_008, 38, 8_501_120, 13, 8_501_200, 6, 8_501_300, 42, 8_501_506, 34,
        8_501_609,
      ]
    ).with(.extras).coloured(red),
    KnownLine(
      "IR95",
      .sbb,
      .interregional,
      16,
      [8_501_026, 7, 8_501_008, 38, 8_501_120, 13, 8_501_200, 6, 8_501_300, 42, 8_501_506]
    ).coloured(red),
    KnownLine("IR75", .sbb, .interregional, 18, [8_505_000, 20, 8_502_204, 25, 8_503_000])
      .coloured(red),
    KnownLine(
      "IR13",
      .sob,
      .interregional,
      17,
      [8_503_000, 10, 8_503_016, 13, 8_506_000, 38, 8_506_302, 80, 8_509_000]
    ).with(.extras),
    KnownLine("IR36", .sbb, .interregional, 17, [8_500_010, 72, 8_503_000, 10, 8_503_016])
      .coloured(red),
    KnownLine(
      "RE33",
      .sbb,
      .regionalExpress,
      34,
      [8_501_008, 34, 8_501_118, 6, 8_501_120, 15, 8_501_200, 7, 8_501_300, 52, 8_501_506]
    ).mixed(.weekly),
    KnownLine(
      "NJ467",
      .sbb,
      .intercity,
      3,
      [
        8_503_000, 40, 8_500_218, 40, 8_507_000, 25, 8_504_100, 50, 8_501_120, 45, 8_501_008, 8,
        8_501_026,
      ]
    ).mixed(.nightly),
    KnownLine(
      "SN5",
      .sbb,
      .suburban,
      4,
      [8_500_010, 35, 8_500_218, 48, 8_503_000, 12, 8_503_016, 15, 8_506_000, 45, 8_506_302]
    ).mixed(.nightly),
    KnownLine(
      "S1",
      .sbb,
      .suburban,
      36,
      [8_504_200, 26, 8_501_118, 6, 8_501_120, 18, 8_501_200, 8, 8_501_300]
    ).mixed(.weekly),
    KnownLine("S5", .sbb, .suburban, 32, [8_501_120, 6, 8_501_118, 12, 8_501_036])
      .mixed(.weekly),
    KnownLine("R12", .sbb, .regional, 20, [8_501_118, 12, 8_501_036, 44, 8_501_008])
      .mixed(.weekly),
    KnownLine("RL5", .sbb, .suburban, 34, [8_501_008, 11, 8_501_000]).mixed(.weekly)
      .coloured("7B3F97/FFFFFF"),
    KnownLine("S1", .bls, .suburban, 34, [8_504_100, 30, 8_507_000, 24, 8_507_100])
      .mixed(.weekly),
    KnownLine("S8", .sbb, .suburban, 36, [8_502_204, 34, 8_503_000, 28, 8_506_000])
      .mixed(.weekly),
    KnownLine("S16", .sbb, .suburban, 36, [8_503_000, 13, 8_503_016]).mixed(.weekly),
    KnownLine("S3", .sbb, .suburban, 32, [8_500_010, 44, 8_500_218]).mixed(.weekly),
    KnownLine("S10", .sbb, .suburban, 32, [8_505_213, 30, 8_505_300]).mixed(.weekly)
      .coloured("E2001A/FFFFFF"),
    KnownLine("RE", .bls, .regionalExpress, 17, [8_507_100, 34, 8_507_492]),
    KnownLine("RE", .bls, .regionalExpress, 17, [8_507_000, 66, 8_505_000]),
    KnownLine("R", .sbb, .regional, 18, [8_504_221, 34, 8_504_300]).mixed(.weekly),
    KnownLine("R11", .leb, .regional, 40, [8_591_818, 2, 8_592_010, 15, 8_501_170])
      .mixed(.weekly).coloured("00963F/FFFFFF"),
  ]
}
