import CellSVG
import PINEntry
import Testing

@Suite struct CatalogTests {
  @Test func `the program has its styles with it`() {
    #expect(
      styles.names == [
        "boxes", "boxes-dark", "code", "code-dark", "grid", "grid-dark", "rounded", "rounded-dark", "strip",
        "strip-dark",
        "underline", "underline-dark",
      ])
    #expect(styles["circles"] == nil)
  }

  @Test func `only code reveals, and only grid ends by itself`() {
    #expect(styles.names.filter { styles[$0]?.reveal == true } == ["code", "code-dark"])
    #expect(styles.names.filter { styles[$0]?.endsOnComplete == true } == ["grid", "grid-dark"])
  }

  @Test func `every style has a background, an error colour and a caret`() {
    for name in styles.names {
      let options = styles[name]?.options.map(\.name) ?? []
      #expect(options.filter { ["backgroundColor", "errorColor", "caret"].contains($0) }.count == 3)
    }
  }

  @Test func `a file that leaves something out has it from the style of its layout`() throws {
    var catalog = styles
    let file = StyleFile(
      name: "kiosk", layout: "code", endsOnComplete: true, options: [GivenOption("spacing", .number(2))])
    #expect(catalog.add([file]).isEmpty)
    let kiosk = try #require(catalog["kiosk"])
    #expect(kiosk.reveal)
    #expect(kiosk.endsOnComplete)
    #expect(kiosk.options[0] == StyleOption(name: "spacing", value: .number(2)))
    #expect(kiosk.options[1] == StyleOption(name: "cellHeight", value: .number(38)))
  }

  @Test func `a catalogue keeps what a session may have of the one before it, and shows it to no other`() throws {
    func made(_ layout: String) throws -> StyleCatalog {
      var catalog = styles
      try #require(catalog.add([StyleFile(name: "kiosk", layout: layout)]).isEmpty)
      return catalog
    }
    var catalog = try made("code")
    let code = try #require(catalog["kiosk"]).defaultChoice
    #expect(catalog.definition(of: code)?.layout == .code)
    for layout in ["strip", "code", "grid", nil] {
      var next = try layout.map(made) ?? styles
      next.keep(catalog)
      catalog = next
      #expect(catalog.definition(of: code)?.layout == .code)
      #expect(catalog["kiosk"]?.layout.rawValue == layout)
    }
    for layout in ["strip", "grid"] {
      let choice = try #require(try made(layout)["kiosk"]).defaultChoice
      #expect(catalog.definition(of: choice)?.layout.rawValue == layout)
    }
    let boxes = try #require(styles["boxes"]).defaultChoice
    #expect(catalog.definition(of: boxes)?.name == "boxes")
    #expect(catalog.definition(of: StyleChoice(name: "circles", options: [])) == nil)
    #expect(catalog.names == styles.names)
  }

  @Test func `a file replaces the style of its name`() throws {
    var catalog = styles
    #expect(catalog.add([StyleFile(name: "boxes", layout: "grid", reveal: true)]).isEmpty)
    #expect(try #require(catalog["boxes"]).layout == .grid)
    #expect(try #require(catalog["boxes"]).reveal)
  }

  @Test func `everything that is wrong with a file is named, and it is not added`() {
    var catalog = styles
    #expect(
      catalog.add([
        StyleFile(name: "a", layout: "circles"),
        StyleFile(
          name: "b", layout: "grid",
          options: [GivenOption("cellSize", .number(5)), GivenOption("caret", .null), GivenOption("lineColor", .other)]),
      ]) == [
        StyleFileMistake(
          style: "a", member: "layout",
          detail: #"is not one of "boxes", "grid", "strip", "code", "underline", "rounded""#),
        StyleFileMistake(
          style: "b", member: "options/cellSize", detail: #"is not an option of the layout "grid""#),
        StyleFileMistake(style: "b", member: "options/caret", detail: "is not true or false"),
        StyleFileMistake(
          style: "b", member: "options/lineColor", detail: "is not a colour: #rgb, #rrggbb or a CSS colour name"),
      ])
    #expect(catalog["a"] == nil)
    #expect(catalog["b"] == nil)
  }

  @Test func `the first style of a layout says everything`() {
    var catalog = StyleCatalog()
    let mistakes = catalog.add([StyleFile(name: "grid", layout: "grid")])
    #expect(
      mistakes.map(\.member) == [
        "options/lineColor", "options/dotColor", "options/backgroundColor", "options/errorColor",
        "options/acceptedColor", "options/caret",
      ])
    #expect(mistakes.allSatisfy { $0.detail == "is missing" })
  }
}
