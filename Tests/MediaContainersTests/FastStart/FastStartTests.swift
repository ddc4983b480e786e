import MediaContainers
import TestSupport
import Testing

@Suite(.enabled(if: try Prerequisite.hasCorpora()))
struct FastStartTests {
    struct Oracle: CustomTestStringConvertible, Sendable {
        var path: String
        var hash: String
        var testDescription: String { path }
    }

    static func oracles() throws -> [Oracle] {
        let table = try Corpora.text("derived/media/faststart-oracle.tsv")
        let oracles = table.split(separator: "\n").dropFirst().map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            return Oracle(path: String(fields[0]), hash: String(fields[5]))
        }
        return try Prerequisite.cases(oracles, of: "derived/media/faststart-oracle.tsv")
    }

    private func contents<Source: ByteSource>(_ view: ByteLayoutView<Source>) throws -> [UInt8] {
        var sink = MemorySink()
        try view.write(to: &sink, bufferSize: 5000)
        return sink.contents
    }

    @Test(arguments: try oracles()) func matchesQtFaststart(oracle: Oracle) throws {
        let source = MemorySource(try Corpora.bytes(oracle.path))
        let view = try FastStart.view(of: source)
        let bytes = try contents(view)
        #expect(SHA256.hex(bytes) == oracle.hash)
        #expect(try PacketList(view) == PacketList(source))
    }

    @Test(arguments: try oracles()) func readsRandomRangesOfView(oracle: Oracle) throws {
        let view = try FastStart.view(of: MemorySource(try Corpora.bytes(oracle.path)))
        let file = try contents(view)
        var random = SeededGenerator(seed: 4)
        for _ in 0..<200 {
            let begin = Int.random(in: 0..<file.count, using: &random)
            let end = Int.random(in: begin...file.count, using: &random)
            #expect(try view.bytes(Int64(begin)..<Int64(end), limit: file.count) == Array(file[begin..<end]))
            var joined: [UInt8] = []
            for piece in view.layout.pieces(in: Int64(begin)..<Int64(end)) {
                switch piece {
                case .generated(let bytes): joined += bytes
                case .source(let range): joined += try view.source.bytes(range, limit: file.count)
                }
            }
            #expect(joined == Array(file[begin..<end]))
        }
    }

    @Test func readsOnlyHeadersAndIndexWhilePlanning() throws {
        let bytes = try Corpora.bytes("eyevinn-mp4ff/mp4/testdata/bbb_prog_10s.mp4")
        let source = CountingSource(MemorySource(bytes))
        let headers = try BoxTree(source.base).roots.map(\.header)
        let index = headers.first { $0.type == "moov" }?.size ?? 0
        _ = try FastStart.layout(of: source)
        #expect(source.bytesRead <= Int(index) + headers.count * 32)
    }

    @Test func leavesFileWithLeadingIndexUnchanged() throws {
        let source = MemorySource(try Corpora.bytes("androidx-media/media/mp4/sample.mp4"))
        let layout = try FastStart.layout(of: source)
        #expect(layout.isIdentity(ofLength: source.length))
    }

    /// Adds a distance to every entry of the `stco` tables. Returns the largest result.
    private func move(_ index: inout [UInt8], by distance: Int64) -> Int64 {
        var largest: Int64 = 0
        for position in 0..<index.count - 12 where index[position..<position + 4].elementsEqual("stco".utf8) {
            for entry in 0..<Int(index[position + 11]) {
                let place = position + 12 + entry * 4
                let value = index[place..<place + 4].reduce(Int64(0)) { $0 << 8 | Int64($1) } + distance
                for byte in 0..<4 { index[place + byte] = UInt8(truncatingIfNeeded: value >> Int64(24 - 8 * byte)) }
                largest = max(largest, value)
            }
        }
        return largest
    }

    @Test func widensOffsetsTo64BitsIfNecessary() throws {
        let original = try Corpora.bytes("androidx-media/media/mp4/sample_simple.mp4")
        let headers = try BoxTree(MemorySource(original)).roots.map(\.header)
        let movie = try #require(headers.last { $0.type == "moov" })
        // Inserts a box of nearly 4 GiB between the file type and the media. The offsets fit into 32 bits until the
        // index moves to the front.
        var index = Array(original[Int(movie.offset)...])
        let gap = Int64(UInt32.max) - 100 - move(&index, by: 0)
        let insertion = headers[0].end
        _ = move(&index, by: gap)
        var filler: [UInt8] = []
        for shift in [24, 16, 8, 0] as [Int64] { filler.append(UInt8(truncatingIfNeeded: gap >> shift)) }
        filler += Array("free".utf8)
        let large = SparseSource(
            length: Int64(original.count) + gap,
            parts: [
                (0, Array(original[..<Int(insertion)])), (insertion, filler),
                (insertion + gap, Array(original[Int(insertion)..<Int(movie.offset)])),
                (movie.offset + gap, index),
            ])
        let view = try FastStart.view(of: large)
        let tree = try BoxTree(view)
        #expect(view.length > large.length)
        #expect(tree.roots.map(\.header.type) == ["ftyp", "moov", "free", "free", "mdat"])
        func types(_ nodes: [BoxNode]) -> [FourCC] { nodes.flatMap { [$0.header.type] + types($0.children) } }
        #expect(types(tree.roots).contains("co64"))
        let expected = try PacketList(MemorySource(original))
        #expect(try PacketList(large) == expected)
        #expect(try PacketList(view) == expected)
    }

    @Test func throwsTypedErrorForMissingIndex() throws {
        let bytes = Array(try Corpora.bytes("androidx-media/media/mp4/sample_simple.mp4").prefix(5000))
        let error = #expect(throws: ContainerError.self) { try FastStart.layout(of: MemorySource(bytes)) }
        #expect(error?.code == .malformed)
        #expect(error?.offset == 5000)
    }
}
