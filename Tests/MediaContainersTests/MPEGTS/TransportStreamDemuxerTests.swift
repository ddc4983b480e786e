import MediaContainers
import Testing

struct TransportStreamDemuxerTests {
    private func stream(_ build: (inout TransportStreamBuilder) -> Void) -> TransportStreamBuilder {
        var builder = TransportStreamBuilder()
        build(&builder)
        return builder
    }

    private func record(_ build: (inout TransportStreamBuilder) -> Void) throws -> DemuxerRecording {
        try DemuxerRecording(stream(build).bytes)
    }

    @Test func readsPacketsOf192And204Bytes() throws {
        let plain = try DemuxerRecording(
            stream {
                $0.tables()
                $0.play(from: 900_000, frames: 10)
            }.bytes)
        #expect(plain.packets.streams[0]?.count == 10)
        for (before, after) in [(4, 0), (0, 16)] {
            let other = try DemuxerRecording(
                stream {
                    $0.before = [UInt8](repeating: 0x11, count: before)
                    $0.after = [UInt8](repeating: 0x22, count: after)
                    $0.tables()
                    $0.play(from: 900_000, frames: 10)
                }.bytes, bufferSize: 777)
            #expect(other.packets == plain.packets)
            #expect(other.diagnostics.isEmpty)
        }
    }

    @Test func skipsAndReportsGarbage() throws {
        var builder = stream {
            $0.bytes = [UInt8](repeating: 0x47, count: 100)
            $0.tables()
            $0.play(from: 0, frames: 5)
            $0.bytes += [UInt8](repeating: 0x99, count: 333)
        }
        builder.tables()
        builder.play(from: 5 * 3600, frames: 5)
        let recording = try DemuxerRecording(builder.bytes)
        #expect(recording.packets.streams[0]?.count == 10)
        #expect(recording.diagnostics(.skippedBytes) == 2)
    }

    @Test(arguments: [100, 188 * 20, 65_536]) func losesOnlyDataNearRemovedBytes(bufferSize: Int) throws {
        var builder = stream {
            $0.tables()
            $0.play(from: 0, frames: 60)
        }
        let whole = builder.bytes.count
        builder.bytes.removeSubrange(whole / 2 + 77..<whole / 2 + 2377)
        let second = builder.bytes.count * 3 / 4
        builder.bytes.removeSubrange(second..<second + 10)
        let recording = try DemuxerRecording(builder.bytes, bufferSize: bufferSize)
        // The longer cut removes bytes of six pictures, the shorter one only of audio. Each may also cost the next
        // picture, because the packet after a cut isn't where it is expected.
        #expect((52...58).contains(recording.packets.streams[0]?.count ?? 0))
        let times = recording.samples.filter { $0.sample.track == 0 }.map(\.sample.dts)
        #expect(times == Array(Set(times)).sorted())
    }

    @Test func rejectsBytesWithoutPackets() {
        #expect(throws: ContainerError.self) { try DemuxerRecording([UInt8](repeating: 7, count: 5000)) }
    }

    @Test func reportsEachPacketLossOnce() throws {
        let recording = try record {
            $0.tables()
            $0.play(from: 0, frames: 5)
            $0.lose(3, pid: TransportStreamBuilder.audioPID)
            $0.play(from: 18_000, frames: 5)
        }
        #expect(recording.diagnostics(.discontinuity) == 1)
        #expect(recording.diagnostics.first?.track == UInt32(TransportStreamBuilder.audioPID))
    }

    @Test func readsRepeatedPacketOnce() throws {
        var builder = stream {
            $0.tables()
            $0.pes(pid: TransportStreamBuilder.audioPID, pts: 0, TransportStreamBuilder.aac())
        }
        builder.bytes += builder.bytes.suffix(188)
        let recording = try DemuxerRecording(builder.bytes)
        #expect(recording.packets.streams[1]?.count == 1)
        #expect(recording.diagnostics.isEmpty)
    }

    @Test func reportsAndSkipsScrambledPackets() throws {
        let recording = try record {
            $0.tables()
            for _ in 0..<4 {
                $0.packet(
                    pid: TransportStreamBuilder.videoPID, [UInt8](repeating: 3, count: 184), startsUnit: true,
                    scrambling: 2)
            }
        }
        #expect(recording.diagnostics(.scrambled) == 1)
        #expect(recording.samples.isEmpty)
    }

    @Test func continuesTimesAfterWrap() throws {
        let wrap: Int64 = 1 << 33
        let recording = try record {
            $0.tables()
            $0.play(from: wrap - 90_000 * 120, frames: 1)
            $0.play(from: wrap - 3600 * 5, frames: 10)
        }
        let times = recording.samples.filter { $0.sample.track == 0 }.map(\.sample.dts)
        #expect(times == [wrap - 90_000 * 120] + (0..<10).map { wrap - 3600 * 5 + Int64($0) * 3600 })
    }

    @Test func startsBelowZeroBeforeWrap() throws {
        let recording = try record {
            $0.tables()
            $0.play(from: (1 << 33) - 7200, frames: 4)
        }
        #expect(recording.samples.filter { $0.sample.track == 0 }.map(\.sample.dts) == [-7200, -3600, 0, 3600])
    }

    @Test func ignoresTableWithWrongChecksum() throws {
        let recording = try record {
            $0.association([(1, 0x1000)])
            let body: [UInt8] = [0, 1, 0xC1, 0, 0, 0xE1, 0, 0xF0, 0, 0x1B, 0xE1, 0x00, 0xF0, 0]
            $0.section(pid: 0x1000, table: 2, body, damage: true)
            $0.play(from: 0, frames: 3)
        }
        #expect(recording.diagnostics(.damagedTable) == 1)
        #expect(recording.tracks.isEmpty)
    }

    @Test func separatesTracksAndClocksOfPrograms() throws {
        var builder = TransportStreamBuilder()
        builder.association([(1, 0x1000), (2, 0x1100)])
        builder.map([TransportStreamBuilder.Stream(pid: 0x200, type: 0x0F)], program: 1, mapPID: 0x1000)
        builder.map([TransportStreamBuilder.Stream(pid: 0x300, type: 0x0F)], program: 2, mapPID: 0x1100)
        for index in 0..<4 {
            builder.pes(pid: 0x200, pts: Int64(index) * 1920, TransportStreamBuilder.aac())
            builder.pes(pid: 0x300, pts: 5_000_000_000 + Int64(index) * 1920, TransportStreamBuilder.aac())
        }
        let recording = try DemuxerRecording(builder.bytes)
        #expect(recording.tracks.map(\.id) == [0x200, 0x300])
        #expect(recording.packets.streams[0]?.first?.pts == 0)
        #expect(recording.packets.streams[1]?.first?.pts == 5_000_000_000)
    }

    @Test func addsTracksForNewMapVersion() throws {
        let recording = try record {
            $0.tables([TransportStreamBuilder.both[0]])
            $0.play(from: 0, frames: 3, hasAudio: false)
            $0.tables(version: 1)
            $0.play(from: 10_800, frames: 3)
        }
        #expect(recording.tracks.map(\.kind) == [.video, .audio])
        #expect(recording.packets.streams[0]?.count == 6)
        #expect((recording.packets.streams[1]?.count ?? 0) > 0)
    }

    @Test func readsPicturesBeforeFirstMap() throws {
        let recording = try record {
            $0.play(from: 0, frames: 3)
            $0.tables()
            $0.play(from: 10_800, frames: 3)
        }
        #expect(recording.packets.streams[0]?.count == 6)
    }

    @Test(arguments: [true, false]) func omitsPacketsWithTransportError(isBeforeMap: Bool) throws {
        var builder = TransportStreamBuilder()
        if !isBeforeMap { builder.tables() }
        let start = builder.bytes.count
        for index in 0..<3 {
            builder.pes(
                pid: TransportStreamBuilder.audioPID, pts: Int64(index) * 1920,
                TransportStreamBuilder.aac(UInt8(index)))
        }
        if isBeforeMap { builder.tables() }
        // transport_error_indicator of the second packet.
        builder.bytes[start + 188 + 1] |= 0x80
        let recording = try DemuxerRecording(builder.bytes)
        #expect(recording.samples.compactMap(\.bytes.last) == [0, 2])
        #expect(recording.diagnostics.filter { $0.code == .transportError }.map(\.offset) == [Int64(start + 188)])
    }

    @Test func addsFormatForNewParameterSets() throws {
        let recording = try record {
            $0.tables()
            $0.play(from: 0, frames: 5)
            $0.play(from: 18_000, frames: 5, wide: true)
        }
        #expect(recording.tracks[0].formats.map(\.width) == [32, 64])
        #expect(
            recording.samples.filter { $0.sample.track == 0 }.map(\.sample.formatIndex) == [
                0, 0, 0, 0, 0, 1, 1, 1, 1, 1,
            ])
        #expect(recording.tracks[0].formats[0].codecString == "avc1.64000A")
        #expect(recording.tracks[0].frameRate == 25)
    }

    @Test func listsButDoesNotReadStreamOfSections() throws {
        let streams = TransportStreamBuilder.both + [TransportStreamBuilder.Stream(pid: 0x1FF, type: 0x86)]
        let recording = try record {
            for version in 0..<2 as Range<UInt8> {
                $0.tables(streams, version: version)
                $0.packet(pid: 0x1FF, [0, 0xFC, 0x30, 0x11] + [UInt8](repeating: 0, count: 180), startsUnit: true)
                $0.play(from: Int64(version) * 10_800, frames: 3)
            }
        }
        #expect(recording.tracks.count == 3)
        #expect(recording.tracks[2].format?.codec == .scte35)
        #expect(recording.diagnostics.isEmpty)
    }
}
