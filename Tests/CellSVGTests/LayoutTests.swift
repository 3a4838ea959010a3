import Testing

@Suite struct LayoutTests {
  @Test func `grid is one frame over the whole picture with a line between its cells`() {
    #expect(
      picture("grid", length: 4, count: 2, width: 300) == """
        <svg xmlns="http://www.w3.org/2000/svg" width="300" height="60" viewBox="0 0 300 60" role="img">\
        <title>PIN: 2 of 4 entered</title><g><g fill="none" stroke="#00ff00">\
        <rect x="0" y="0" width="300" height="60"/>\
        <line x1="75" y1="0" x2="75" y2="60"/>\
        <line x1="150" y1="0" x2="150" y2="60"/>\
        <line x1="225" y1="0" x2="225" y2="60"/>\
        </g>\
        <g fill="black"><circle cx="37.5" cy="30" r="11.25"/><circle cx="112.5" cy="30" r="11.25"/></g></g></svg>

        """)
  }

  @Test func `grid of one cell has no line`() {
    let svg = picture("grid", length: 1, count: 1)
    #expect(!svg.contains("<line"))
    #expect(svg.contains(#"<circle cx="30" cy="30" r="9"/>"#))
  }

  @Test func `grid with a background of its own fills the picture`() {
    #expect(picture("grid", [("backgroundColor", "#aaaaaa")]).contains(##"height="60" fill="#aaaaaa"/><g>"##))
  }

  @Test func `strip is a centred frame with a line at the right end of each cell`() {
    #expect(
      picture("strip", length: 4, count: 1) == """
        <svg xmlns="http://www.w3.org/2000/svg" width="240" height="60" viewBox="0 0 240 60" role="img">\
        <title>PIN: 1 of 4 entered</title><g><g fill="white" stroke="#aaaaaa">\
        <rect x="30" y="7.5" width="180" height="45"/>\
        <line x1="75" y1="7.5" x2="75" y2="52.5"/>\
        <line x1="120" y1="7.5" x2="120" y2="52.5"/>\
        <line x1="165" y1="7.5" x2="165" y2="52.5"/>\
        <line x1="210" y1="7.5" x2="210" y2="52.5"/>\
        </g>\
        <g fill="black"><circle cx="52.5" cy="30" r="9"/></g></g></svg>

        """)
  }

  @Test func `strip doesn't scale its dots`() {
    #expect(
      picture("strip", [("dotRadius", "40"), ("cellSize", "20")], count: 1).contains(#"cx="130" cy="30" r="40""#))
  }

  @Test func `code has cells as high as the picture, filled as the entry goes on`() {
    // (360 - 9 * 5) / 6 = 52.5
    #expect(
      picture("code", count: 2) == """
        <svg xmlns="http://www.w3.org/2000/svg" width="360" height="38" viewBox="0 0 360 38" role="img">\
        <title>PIN: 2 of 6 entered</title><g><g>\
        <rect x="0" y="0" width="52.5" height="38" fill="#2fc312"/>\
        <rect x="61.5" y="0" width="52.5" height="38" fill="#2fc312"/>\
        <rect x="123" y="0" width="52.5" height="38" fill="#f5f5f5"/>\
        <rect x="184.5" y="0" width="52.5" height="38" fill="#f5f5f5"/>\
        <rect x="246" y="0" width="52.5" height="38" fill="#f5f5f5"/>\
        <rect x="307.5" y="0" width="52.5" height="38" fill="#f5f5f5"/>\
        </g></g></svg>

        """)
  }

  @Test func `code is as high as its cells are asked to be`() {
    #expect(picture("code", [("cellHeight", "50.4")]).contains(#"viewBox="0 0 360 50""#))
    #expect(picture("code", [("cellHeight", "0")]).contains(#"viewBox="0 0 360 1""#))
    #expect(picture("code", [("cellHeight", "50")], height: 20).contains(#"viewBox="0 0 360 20""#))
  }

  @Test func `code without room for its cells has none of negative width`() {
    let svg = picture("code", [("spacing", "100")], width: 300)
    #expect(svg.contains(#"<rect x="500" y="0" width="0" height="38""#))
  }

  @Test func `underline has a line under each cell`() {
    // (360 - 12 * 5) / 6 = 50
    let svg = picture("underline", count: 1)
    #expect(svg.contains(##"<rect x="0" y="57" width="50" height="3" fill="#1c1c1e"/>"##))
    #expect(svg.contains(##"<rect x="62" y="57" width="50" height="3" fill="#8e8e93"/>"##))
    #expect(svg.contains(##"<rect x="310" y="57" width="50" height="3" fill="#8e8e93"/>"##))
    #expect(svg.contains(##"<circle cx="25" cy="28.5" r="7"/>"##))
  }

  @Test func `rounded cells stand in groups, borders and all within the picture`() {
    // (360 - 8 * 4 - 24) / 6 = 50.667, less a border of 1.5
    let svg = picture("rounded", [("groups", "3,3")], count: 1)
    #expect(svg.contains(##"<g fill="#f8f8fa" stroke-width="1.5">"##))
    #expect(
      svg.contains(##"<rect x="0.75" y="0.75" width="49.167" height="58.5" rx="10" stroke="#48484a"/>"##))
    #expect(svg.contains(##"<rect x="59.417" y="0.75" width="49.167""##))
    #expect(svg.contains(##"<rect x="118.083" y="0.75" width="49.167""##))
    #expect(svg.contains(##"<rect x="192.75" y="0.75" width="49.167""##))
    #expect(svg.contains(##"<rect x="310.083" y="0.75" width="49.167" height="58.5" rx="10" stroke="#8e8e93"/>"##))
    #expect(svg.contains(##"<circle cx="25.333" cy="30" r="7"/>"##))
  }

  @Test func `a dark variant has the layout and the sizes of its style`() {
    let svg = picture("boxes-dark", count: 1)
    #expect(svg.contains(##"<g fill="#2c2c2e" stroke="#7c7c80"><rect x="20" y="5" width="50" height="50"/>"##))
    #expect(svg.contains(##"<circle cx="45" cy="30" r="7.2"/>"##))
  }
}
