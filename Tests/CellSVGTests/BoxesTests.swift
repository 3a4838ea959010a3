import Testing

@Suite struct BoxesTests {
  @Test func `six boxes in 360 by 60, three of them filled`() {
    #expect(
      picture("boxes", count: 3) == """
        <svg xmlns="http://www.w3.org/2000/svg" width="360" height="60" viewBox="0 0 360 60" role="img">\
        <title>PIN: 3 of 6 entered</title><rect width="360" height="60" fill="white"/><g>\
        <g fill="white" stroke="#aaaaaa">\
        <rect x="20" y="5" width="50" height="50"/>\
        <rect x="74" y="5" width="50" height="50"/>\
        <rect x="128" y="5" width="50" height="50"/>\
        <rect x="182" y="5" width="50" height="50"/>\
        <rect x="236" y="5" width="50" height="50"/>\
        <rect x="290" y="5" width="50" height="50"/>\
        </g>\
        <g fill="black"><circle cx="45" cy="30" r="7.2"/><circle cx="99" cy="30" r="7.2"/>\
        <circle cx="153" cy="30" r="7.2"/></g></g></svg>

        """)
  }

  @Test func `a fraction is cut to thousandths`() {
    // side 50, gap (300 - 4 * 50) / (3 + 2 * 5) = 7.6923…, left 38.4615…
    let svg = picture("boxes", length: 4, width: 300)
    #expect(svg.contains(#"<rect x="38.462" y="5""#))
    #expect(svg.contains(#"<rect x="96.154" y="5""#))
    #expect(svg.contains(#"<rect x="153.846" y="5""#))
    #expect(svg.contains(#"<rect x="211.538" y="5""#))
  }

  @Test func `a cell is at least four radii and at most the picture high`() {
    #expect(picture("boxes", [("dotRadius", "14")], count: 1).contains(#"width="56" height="56"/>"#))
    #expect(picture("boxes", [("dotRadius", "14")], count: 1).contains(#"r="11.2""#))
    #expect(picture("boxes", [("dotRadius", "20")], height: 60).contains(#"width="60" height="60"/>"#))
    #expect(picture("boxes", height: 30).contains(#"y="0" width="30" height="30"/>"#))
    // min(9, 30 / 2) * 0.8
    #expect(picture("boxes", count: 1, height: 30).contains(#"cy="15" r="7.2""#))
    // min(9, 10 / 2) * 0.8
    #expect(picture("boxes", count: 1, height: 10).contains(#"cy="5" r="4""#))
  }

  @Test func `one cell is in the middle, also without an outer margin`() {
    let cell = #"<rect x="5" y="5" width="50" height="50"/>"#
    #expect(picture("boxes", length: 1).contains(cell))
    #expect(picture("boxes", [("edgeSpacing", "0")], length: 1).contains(cell))
    #expect(picture("boxes", [("edgeSpacing", "4096")], length: 1).contains(cell))
  }

  @Test func `without an outer margin the cells reach the edges`() {
    let svg = picture("boxes", [("edgeSpacing", "0")], length: 3, width: 190)
    #expect(svg.contains(#"<rect x="0" y="5""#))
    #expect(svg.contains(#"<rect x="70" y="5""#))
    #expect(svg.contains(#"<rect x="140" y="5""#))
  }

  @Test func `cells overlap in a picture that is too narrow for them`() {
    // gap (150 - 300) / 15 = -10, left -50
    let svg = picture("boxes", width: 150)
    #expect(svg.contains(#"<rect x="-50" y="5""#))
    #expect(svg.contains(#"<rect x="150" y="5""#))
  }

  @Test func `colours are drawn as they were given`() {
    let svg = picture(
      "boxes",
      [("dotColor", "#F00"), ("borderColor", "RebeccaPurple"), ("cellColor", "#00ff7F"), ("backgroundColor", "teal")],
      count: 1)
    #expect(svg.contains(##"<g fill="#F00"><circle"##))
    #expect(svg.contains(##"<g fill="#00ff7F" stroke="RebeccaPurple"><rect"##))
    #expect(svg.contains(#"<rect width="360" height="60" fill="teal"/>"#))
  }
}
