import MediaContainers
import Testing

/// Tests that reading a damaged file throws a typed error with the offset of the damage, and that unusual but valid
/// forms are accepted.
struct DamagedFileTests {
    /// Creates a file with one track of 100 audio frames.
    private func file() throws -> [UInt8] {
        var builder = MovieBuilder()
        let format = MediaFormat(codec: .aac, configuration: [0x12, 0x10], sampleRate: 44100, channels: 2)
        let track = try builder.add(MediaTrack(id: 1, kind: .audio, formats: [format], timescale: 44100))
        for index in 0..<100 as Range<Int64> {
            try builder.add(
                MediaSample(
                    track: track, pts: index * 1024, dts: index * 1024, duration: 1024, size: 10 + Int(index % 3),
                    isSync: true))
        }
        let layout = try builder.progressiveLayout()
        return layout.head + (0..<Int(layout.mediaLength)).map { UInt8(truncatingIfNeeded: $0) }
    }

    /// Returns the index of a box's content, which follows its size and type.
    private func content(of type: String, in bytes: [UInt8]) throws -> Int {
        let name = Array(type.utf8)
        let start = try #require((0..<bytes.count - 4).first { Array(bytes[$0..<$0 + 4]) == name })
        return start + 4
    }

    private func set(_ value: UInt32, at place: Int, _ bytes: inout [UInt8]) {
        for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * index)) }
    }

    private func read(_ bytes: [UInt8]) throws(ContainerError) -> PacketList { try PacketList(MemorySource(bytes)) }

    @Test(arguments: [("stsz", 8), ("stts", 4), ("stsc", 4), ("stco", 4)])
    func reportsOffsetOfExcessiveEntryCount(type: String, field: Int) throws {
        for count in [1000, 0x1000_0000, 0xFFFF_FFFF] as [UInt32] {
            var bytes = try file()
            let place = try content(of: type, in: bytes) + field
            set(count, at: place, &bytes)
            let error = #expect(throws: ContainerError.self) { try read(bytes) }
            #expect(error?.code == .malformed)
            #expect(error?.offset == Int64(place))
            #expect(error?.summary.contains(type) == true)
        }
    }

    /// A box may be larger than its parent, or smaller than its header.
    @Test(arguments: [(100_000, .truncated), (7, .malformed)] as [(UInt32, ContainerError.Code)])
    func reportsBoxOfWrongSize(size: UInt32, code: ContainerError.Code) throws {
        var bytes = try file()
        let place = try content(of: "mdhd", in: bytes) - 8
        set(size, at: place, &bytes)
        let error = #expect(throws: ContainerError.self) { try read(bytes) }
        #expect(error?.code == code)
        #expect(error?.offset == Int64(place))
    }

    @Test func throwsForSamplesWithoutChunks() throws {
        var bytes = try file()
        let place = try content(of: "stsc", in: bytes)
        // Announces one chunk of 60 samples instead of 100.
        set(60, at: place + 12, &bytes)
        let error = #expect(throws: ContainerError.self) { try read(bytes) }
        #expect(error?.code == .malformed)
        #expect(error?.summary.contains("sample 61 of 100") == true)
    }

    @Test func deliversCompleteSamplesOfTruncatedFile() throws {
        let bytes = Array(try file().dropLast(500))
        var list = PacketList()
        let reader = try MP4Reader(MemorySource(bytes))
        let error = #expect(throws: ContainerError.self) { try reader.deliver(to: &list) }
        #expect(error?.code == .truncated)
        #expect((40..<60).contains(list.streams[0]?.count ?? 0))
    }

    @Test func rejectsZeroTimescale() throws {
        var bytes = try file()
        set(0, at: try content(of: "mdhd", in: bytes) + 12, &bytes)
        #expect(throws: ContainerError.self) { try read(bytes) }
    }

    @Test func rejectsOtherFormats() {
        let error = #expect(throws: ContainerError.self) {
            try MP4Reader(MemorySource(Array("<!DOCTYPE html><html><head>".utf8)))
        }
        #expect(error?.code == .notThisFormat)
        #expect(throws: ContainerError.self) { try MP4Reader(MemorySource([])) }
    }

    @Test(arguments: [0, 3]) func ignoresMetadataWithoutVersion(length: Int) throws {
        var bytes = try file()
        let movie = try BoxTree(MemorySource(bytes)).roots[1].header
        let size: [UInt8] = [0, 0, 0, UInt8(8 + length)]
        let meta = size + Array("meta".utf8) + [UInt8](repeating: 0, count: length)
        bytes.insert(contentsOf: meta, at: Int(movie.end))
        set(UInt32(movie.size) + UInt32(meta.count), at: Int(movie.offset), &bytes)
        let reader = try MP4Reader(MemorySource(bytes))
        #expect(reader.tracks.count == 1)
        #expect(reader.movie.artwork.isEmpty)
    }

    @Test func acceptsOpenEndedLastBox() throws {
        var bytes = try file()
        let expected = try read(bytes)
        set(0, at: try content(of: "mdat", in: bytes) - 8, &bytes)
        #expect(try read(bytes) == expected)
        #expect(try BoxTree(MemorySource(bytes)).roots.last?.header.isOpenEnded == true)
    }

    @Test func cutsOffTreeOfManyTopLevelBoxes() throws {
        let box: [UInt8] = [0, 0, 0, 8] + Array("free".utf8)
        let file = MemorySource((0..<10).flatMap { _ in box })
        let whole = try BoxTree(file, limit: 10)
        #expect(whole.roots.count == 10 && !whole.isCutOff)
        let part = try BoxTree(file, limit: 4)
        #expect(part.roots.count == 4 && part.isCutOff)
    }

    @Test func accepts64BitSizes() throws {
        let bytes = try file()
        let expected = try read(bytes)
        // Moves the index after the media, gives it a 64-bit size, and adjusts the offset of the only chunk.
        let headers = try BoxTree(MemorySource(bytes)).roots.map(\.header)
        let type = Array(bytes[..<Int(headers[0].end)])
        var index = Array(bytes[Int(headers[1].payload.lowerBound)..<Int(headers[1].end)])
        let place = try content(of: "stco", in: index) + 8
        set(UInt32(type.count + 8), at: place, &index)
        var size: [UInt8] = [0, 0, 0, 1] + Array("moov".utf8)
        size += [0, 0, 0, 0] + withUnsafeBytes(of: UInt32(index.count + 16).bigEndian) { Array($0) }
        let rearranged = type + Array(bytes[Int(headers[2].offset)...]) + size + index
        #expect(try read(rearranged) == expected)
        #expect(try PacketList(FastStart.view(of: MemorySource(rearranged))) == expected)
    }

    @Test func readsCompactSizes() throws {
        let bytes = try file()
        let expected = try read(bytes)
        for bits in [4, 8, 16] {
            var changed = bytes
            let start = try content(of: "stsz", in: changed) - 8
            changed.replaceSubrange(start + 4..<start + 8, with: Array("stz2".utf8))
            set(UInt32(bits), at: start + 12, &changed)
            for index in 0..<100 {
                let size = UInt8(10 + index % 3)
                switch bits {
                case 4:
                    let place = start + 20 + index / 2
                    changed[place] = index % 2 == 0 ? size << 4 | changed[place] & 15 : changed[place] & 0xF0 | size
                case 8: changed[start + 20 + index] = size
                default:
                    changed[start + 20 + index * 2] = 0
                    changed[start + 21 + index * 2] = size
                }
            }
            #expect(try read(changed) == expected, "\(bits) bits")
        }
    }
}
