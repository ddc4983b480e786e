import FormatProperties
import MediaContainers
import TestSupport
import Testing

/// Tests of iTunes-style metadata.
struct ItemListTests {
    private func box(_ type: [UInt8], _ content: [UInt8]) -> [UInt8] {
        let size = UInt32(content.count + 8)
        return (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) } + type + content
    }

    private func box(_ type: String, _ content: [UInt8]) -> [UInt8] { box(Array(type.utf8), content) }

    /// Returns an item. Each character of its name, such as ©, is one byte.
    private func item(_ name: String, type: UInt8 = 1, _ value: [UInt8]) -> [UInt8] {
        let code = name.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        return box(code, box("data", [0, 0, 0, type, 0, 0, 0, 0] + value))
    }

    private func item(_ name: String, _ value: String) -> [UInt8] { item(name, Array(value.utf8)) }

    private func movie(_ items: [UInt8]) throws -> Movie {
        let handler = box(
            "hdlr", [UInt8](repeating: 0, count: 8) + Array("mdir".utf8) + [UInt8](repeating: 0, count: 13))
        let header = box(
            "mvhd", [UInt8](repeating: 0, count: 12) + [0, 0, 3, 0xE8, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 80))
        let user = box("udta", box("meta", [0, 0, 0, 0] + handler + box("ilst", items)))
        return try MP4Reader(MemorySource(box("ftyp", Array("M4A ".utf8) + [0, 0, 0, 0]) + box("moov", header + user)))
            .movie
    }

    @Test func readsSong() throws {
        let items: [[UInt8]] = [
            item("©nam", "Fjäll"), item("©nam", "Other"), item("©ART", "Anna"), item("aART", "Various"),
            item("©alb", "North"), item("trkn", type: 0, [0, 0, 0, 3, 0, 12, 0, 0]),
            item("disk", type: 0, [0, 0, 0, 1, 0, 2]), item("©day", "20040506"), item("gnre", type: 0, [0, 18]),
            item("----", "ignored"), item("cpil", type: 21, [1]),
        ]
        let metadata = try movie(items.flatMap(\.self)).metadata
        #expect(metadata.title == "Fjäll" && metadata.artist == "Anna" && metadata.albumArtist == "Various")
        #expect(metadata.album == "North" && metadata.track == 3 && metadata.trackCount == 12)
        #expect(metadata.disc == 1 && metadata.discCount == 2 && metadata.year == 2004 && metadata.genre == "Rock")
    }

    @Test(arguments: [false, true]) func readsEpisode(isLongDescriptionFirst: Bool) throws {
        let descriptions: [[UInt8]] = [item("desc", "Short"), item("ldes", "Long\nText")]
        let items: [[UInt8]] =
            (isLongDescriptionFirst ? descriptions.reversed() : descriptions) + [
                item("tvsh", "Series"), item("tvsn", type: 21, [0, 0, 0, 2]), item("tves", type: 21, [11]),
                item("©gen", "Drama"), item("©nam", type: 2, [0, 0x41, 0x5C, 0x71]),
            ]
        let metadata = try movie(items.flatMap(\.self)).metadata
        #expect(metadata.show == "Series" && metadata.season == 2 && metadata.episode == 11)
        #expect(metadata.description == "Long\nText" && metadata.genre == "Drama" && metadata.title == "A山")
    }

    @Test func omitsDamagedValues() throws {
        let damaged: [[UInt8]] = [
            item("trkn", type: 0, [0, 0, 0]), item("disk", type: 0, []), item("gnre", type: 0, [0xFF, 0xFF]),
            item("tvsn", type: 21, [0xFF, 0xFF, 0xFF, 0xFF]), item("tves", type: 21, []),
            item("©nam", type: 13, [1, 2]),
            item("©ART", [0xFF, 0xFE]), box("©alb".unicodeScalars.map { UInt8($0.value) }, box("data", [0, 0])),
            // A `data` box that ends after its item.
            box("aART", [0, 0, 0, 99] + Array("data".utf8)),
        ]
        let metadata = try movie(damaged.flatMap(\.self) + item("tvsh", "Series")).metadata
        #expect(metadata.artist == "\u{FFFD}\u{FFFD}" && metadata.show == "Series")
        #expect(metadata.track == nil && metadata.disc == nil && metadata.genre == nil && metadata.title == nil)
        #expect(
            metadata.season == nil && metadata.episode == nil && metadata.album == nil && metadata.albumArtist == nil)
    }

    @Test func limitsText() throws {
        let metadata = try movie(
            item("©nam", [UInt8](repeating: 0x61, count: 1 << 20))
                + item("desc", [UInt8](repeating: 0x62, count: 1 << 20))
        ).metadata
        #expect(metadata.title?.utf8.count == 500 && metadata.description?.utf8.count == 5000)
    }

    private func remuxed(_ source: MemorySource) throws -> ByteLayoutView<MemorySource> {
        ByteLayoutView(layout: try ProgressiveRemux(try MP4Reader(source)).layout, source: source)
    }

    @Test(.enabled(if: try Prerequisite.hasCorpora())) func remuxKeepsMetadataAndArtwork() throws {
        let source = MemorySource(try Corpora.bytes("alfg-mp4-rust/tests/samples/big_buck_bunny_metadata.m4v"))
        let (before, view) = (try MP4Reader(source).movie, try remuxed(source))
        let after = try MP4Reader(view).movie
        #expect(after.metadata == before.metadata && !after.metadata.isEmpty)
        #expect(after.artwork.map(\.format) == before.artwork.map(\.format) && !after.artwork.isEmpty)
        for (old, new) in zip(before.artwork, after.artwork) {
            #expect(try view.bytes(new.range, limit: 1 << 24) == source.bytes(old.range, limit: 1 << 24))
        }
    }

    /// The encoder's delay and padding don't apply to another file.
    @Test(.enabled(if: try Prerequisite.hasCorpora())) func remuxOmitsGaplessInformation() throws {
        let source = MemorySource(try Corpora.bytes("alfg-mp4-rust/examples/mpeg_aac_decoder/audio_aac.m4a"))
        let view = try remuxed(source)
        let name = Array("iTunSMPB".utf8)
        #expect(source.contents.contains(name))
        #expect(try !view.bytes(0..<view.length, limit: 1 << 24).contains(name))
    }

    @Test(.enabled(if: try Prerequisite.hasCorpora())) func fileWriterReservesSpaceForItems() throws {
        let source = MemorySource(try Corpora.bytes("alfg-mp4-rust/tests/samples/big_buck_bunny_metadata.m4v"))
        let reader = try MP4Reader(source)
        var writer = MovieFileWriter(MemoryFile(), expectedDuration: 1)
        writer.builder.items = try reader.itemList()
        try reader.deliver(to: &writer)
        let summary = try writer.finish()
        #expect(!summary.wasMoved)
    }

    @Test(.enabled(if: try Prerequisite.hasCorpora())) func readsFilmOfCorpora() throws {
        let source = MemorySource(try Corpora.bytes("alfg-mp4-rust/tests/samples/big_buck_bunny_metadata.m4v"))
        let metadata = try MP4Reader(source).movie.metadata
        #expect(metadata.title == "Big Buck Bunny" && metadata.artist == "Blender Foundation" && metadata.year == 2008)
        #expect(metadata.description?.hasPrefix("Lorem ipsum dolor sit amet") == true)
        #expect(metadata.description?.hasSuffix("vestibulum bibendum augue.") == true)
    }
}
