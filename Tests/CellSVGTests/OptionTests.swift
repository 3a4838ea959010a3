import CellSVG
import PINEntry
import Testing

@Suite struct OptionTests {
  @Test func `a choice has every option of its style, in order`() throws {
    let boxes = try #require(styles["boxes"])
    #expect(
      boxes.defaultChoice
        == StyleChoice(
          name: "boxes",
          options: [
            StyleOption(name: "cellSize", value: .number(50)),
            StyleOption(name: "dotRadius", value: .number(9)),
            StyleOption(name: "edgeSpacing", value: .number(5)),
            StyleOption(name: "dotColor", value: .color("black")),
            StyleOption(name: "borderColor", value: .color("#aaaaaa")),
            StyleOption(name: "cellColor", value: .color("white")),
            StyleOption(name: "backgroundColor", value: .color("white")),
            StyleOption(name: "errorColor", value: .color("#d70015")),
            StyleOption(name: "acceptedColor", value: .color("#199301")),
            StyleOption(name: "caret", value: .flag(false)),
          ]))
  }

  @Test func `what is given replaces what holds, and null restores the default`() throws {
    let boxes = try #require(styles["boxes"])
    let first = boxes.choice(
      [GivenOption("cellSize", .number(40)), GivenOption("caret", .flag(true))], length: 6)
    #expect(first.mistakes.isEmpty)
    let second = boxes.choice(
      [GivenOption("cellSize", .null), GivenOption("dotColor", .text("red"))], over: first.choice, length: 6)
    #expect(second.mistakes.isEmpty)
    #expect(second.choice.options.first == StyleOption(name: "cellSize", value: .number(50)))
    #expect(second.choice.options.contains(StyleOption(name: "dotColor", value: .color("red"))))
    #expect(second.choice.options.last == StyleOption(name: "caret", value: .flag(true)))
  }

  @Test(arguments: [
    GivenValue.number(-0.001), .number(4096.001), .number(.nan), .number(.infinity), .text("50"), .flag(true),
    .numbers([50]), .other, .query("fifty"), .query(""), .query("0x32"), .query("nan"), .query("-1"), .query("1e300"),
  ]) func `a number that is none, or out of range, is named`(value: GivenValue) throws {
    let boxes = try #require(styles["boxes"])
    #expect(
      boxes.choice([GivenOption("cellSize", value)], length: 6).mistakes
        == [StyleMistake(option: "cellSize", detail: "is not a number from 0 to 4096")])
  }

  @Test(arguments: [
    GivenValue.number(0), .number(4096), .number(0.5), .query("0"), .query("4096"), .query("12.5"), .query("4e3"),
  ]) func `a number in range is taken`(value: GivenValue) throws {
    #expect(try #require(styles["boxes"]).choice([GivenOption("cellSize", value)], length: 6).mistakes.isEmpty)
  }

  @Test(arguments: ["#0aF", "#00AAff", "red", "LightGoldenrodYellow", "transparent"])
  func `a colour is taken as it was given`(color: String) throws {
    let boxes = try #require(styles["boxes"])
    for value in [GivenValue.text(color), .query(color)] {
      let (choice, mistakes) = boxes.choice([GivenOption("dotColor", value)], length: 6)
      #expect(mistakes.isEmpty)
      #expect(choice.options.contains(StyleOption(name: "dotColor", value: .color(color))))
    }
  }

  @Test(arguments: [
    "", "#", "#12", "#12345", "#12345678", "#ggg", "red ", "no-colour", "rgb(1,2,3)", "url(#a)", "currentcolor",
    "\u{212A}haki", "\"/><script>", "none", "inherit",
  ]) func `what is no colour is named`(color: String) throws {
    #expect(
      try #require(styles["boxes"]).choice([GivenOption("dotColor", .text(color))], length: 6).mistakes
        == [
          StyleMistake(option: "dotColor", detail: "is not a colour: #rgb, #rrggbb or a CSS colour name")
        ])
  }

  @Test(arguments: [GivenValue.text("true"), .number(1), .query("1"), .query("True"), .numbers([]), .other])
  func `a flag is true or false`(value: GivenValue) throws {
    #expect(
      try #require(styles["grid"]).choice([GivenOption("caret", value)], length: 6).mistakes
        == [StyleMistake(option: "caret", detail: "is not true or false")])
  }

  @Test(arguments: [GivenValue.numbers([3, 3]), .numbers([]), .numbers([1, 4, 1]), .query("2,4"), .query("")])
  func `groups add up to the length`(value: GivenValue) throws {
    #expect(try #require(styles["rounded"]).choice([GivenOption("groups", value)], length: 6).mistakes.isEmpty)
  }

  @Test(arguments: [
    GivenValue.numbers([3, 2]), .numbers([6, 0]), .numbers([3.5, 2.5]), .numbers([-1, 7]), .numbers([1e300]),
    .numbers([.nan]), .number(6), .text("3,3"), .query("3,,3"), .query("3;3"), .query("7"), .other,
  ]) func `groups that don't are named`(value: GivenValue) throws {
    #expect(
      try #require(styles["rounded"]).choice([GivenOption("groups", value)], length: 6).mistakes
        == [StyleMistake(option: "groups", detail: "is not a list of cells per group whose sum is 6")])
  }

  @Test func `groups that held no longer do at another length`() throws {
    let rounded = try #require(styles["rounded"])
    let choice = rounded.choice([GivenOption("groups", .numbers([3, 3]))], length: 6).choice
    #expect(
      rounded.choice([], over: choice, length: 4).mistakes
        == [StyleMistake(option: "groups", detail: "is not a list of cells per group whose sum is 4")])
  }

  @Test func `an option of another style is named, and so is everything else that is wrong`() throws {
    #expect(
      try #require(styles["grid"]).choice(
        [GivenOption("cellSize", .number(50)), GivenOption("length", .number(6)), GivenOption("caret", .other)],
        length: 6
      ).mistakes == [
        StyleMistake(option: "cellSize", detail: "is not an option of the style \"grid\""),
        StyleMistake(option: "length", detail: "is not an option of the style \"grid\""),
        StyleMistake(option: "caret", detail: "is not true or false"),
      ])
  }
}
