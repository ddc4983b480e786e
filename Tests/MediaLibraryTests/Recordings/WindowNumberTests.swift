import HLS
import MediaCache
import TestSupport
import Testing

@testable import MediaLibrary

/// Tests that segments have the same numbers in all playlists and loads.
struct WindowNumberTests {
    private static let second = TimelineRows.second
    private static func time(_ number: Int64) -> Int64 { TimelineRows.stored(number).start }

    /// Returns random rows without tags, but with discontinuities, gaps and different durations.
    private func rows(_ count: Int, seed: UInt64) -> [RecordedSegment] {
        var random = SeededGenerator(seed: seed)
        return TimelineRows.random(count, from: 500, &random).map {
            var row = $0
            row.tags = []
            row.fileExtension = "ts"
            row.targetDuration = 10
            return row
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func windowsAgreeOnNumbers(_ seed: UInt64) async throws {
        let rows = rows(700, seed: seed)
        let fixture = try await WindowFixture(rows)
        await fixture.recording.start()
        var random = SeededGenerator(seed: seed + 100)
        var known: [Int: CountedWindow.Segment] = [:]
        for _ in 0..<80 {
            let first = rows[Int.random(in: 0..<700, using: &random)]
            let to = first.start + Int64.random(in: 1...600, using: &random) * Self.second
            let isOpen = Int.random(in: 0..<4, using: &random) == 0
            let playlist = try await fixture.window(.span(from: first.start, to: isOpen ? nil : to))
            #expect(playlist.segments.count == rows.count { $0.end > first.start && (isOpen || $0.start < to) })
            for segment in CountedWindow(playlist).segments {
                #expect(known[segment.sequence, default: segment] == segment)
                known[segment.sequence] = segment
            }
        }
        // The windows also agree with the rows.
        var discontinuities = 0
        for row in rows {
            if row.isDiscontinuous { discontinuities += 1 }
            guard let segment = known[Int(row.number)] else { continue }
            #expect(segment.discontinuity == discontinuities)
            #expect(segment.uri == (row.state == .gap ? "gap.ts" : "\(row.number).ts"))
        }
        #expect(known.count > 600)
        await fixture.close()
    }

    /// Segments within an unfinished window are removed. The other segments keep their numbers in each reload.
    @Test func keepsNumbersAroundPinnedSegments() async throws {
        let fixture = try await WindowFixture()
        let rows = rows(900, seed: 9)
        try await fixture.timeline.append(Array(rows.prefix(800)))
        await fixture.recording.start()
        var known: [Int: CountedWindow.Segment] = [:]
        for step in 0..<10 as Range<Int64> {
            // A programme pins 100 rows, and more and more rows after it are removed.
            try await fixture.timeline.remove(Array(600 + step * 60..<660 + step * 60))
            try await fixture.timeline.append(Array(rows[800 + Int(step) * 10..<810 + Int(step) * 10]))
            let playlist = try await fixture.window(.span(from: rows[0].start, to: nil))
            #expect(playlist.type == .event)
            #expect(playlist.segments.count == 810 + Int(step) * 10)
            for segment in CountedWindow(playlist).segments {
                // Players don't play removed segments, so discontinuities may be anywhere among them.
                if let before = known[segment.sequence], segment.uri != "gap.ts" { #expect(before == segment) }
                known[segment.sequence] = segment
            }
        }
        await fixture.close()
    }

    @Test func finishedWindowKeepsNumbers() async throws {
        let fixture = try await WindowFixture(TimelineRows.stored(0..<200))
        await fixture.recording.start()
        try await fixture.timeline.remove(Array(0..<10) + Array(20..<180))
        let request = WindowRequest.span(from: Self.time(10), to: Self.time(202))
        let growing = try await fixture.window(request)
        #expect(!growing.hasEndList)
        try await fixture.timeline.append(TimelineRows.stored(200..<210))
        let over = try await fixture.window(request)
        #expect(over.hasEndList)
        #expect(Array(CountedWindow(over).segments.prefix(190)) == CountedWindow(growing).segments)
        #expect(CountedWindow(over).segments.last?.sequence == 201 && over.segments.last?.uri == "201.ts")
        await fixture.close()
    }

    /// Players match the pictures shown while seeking with segments by number.
    @Test func iFramePlaylistHasNumbersOfSegments() async throws {
        let rows = TimelineRows.stored(0..<60) { row in
            row.isDiscontinuous = [25, 45].contains(row.number)
            row.firstFrameLength = 188
        }
        let fixture = try await WindowFixture(rows)
        try await fixture.timeline.remove(Array(20..<40))
        let request = WindowRequest.span(from: Self.time(10), to: Self.time(60))
        let segments = CountedWindow(try await fixture.window(request)).segments
        let bytes = try await fixture.recording.iFramePlaylist(request)
        var pictures = CountedWindow(try WindowFixture.parsed(String(decoding: bytes, as: UTF8.self))).segments
        for index in pictures.indices { pictures[index].uri = pictures[index].uri.replacing("video-1/", with: "") }
        #expect(pictures == segments)
        #expect(pictures.map(\.sequence) == Array(10..<60))
        await fixture.close()
    }

    @Test func finishedWindowSkipsLongRemovedRange() async throws {
        let fixture = try await WindowFixture(TimelineRows.stored(0..<4000))
        let request = WindowRequest.span(from: Self.time(10), to: Self.time(3900))
        try await fixture.timeline.remove(Array(0..<10) + Array(20..<3880))
        let playlist = try await fixture.window(request)
        #expect(playlist.segments.map(\.uri) == (10..<20).map { "\($0).ts" } + (3880..<3900).map { "\($0).ts" })
        #expect(playlist.segments.indices.filter { playlist.segments[$0].isDiscontinuous } == [10])
        #expect(playlist.segments[10].programDateTime?.nanosecondsSinceEpoch == Self.time(3880))
        #expect(playlist.hasEndList)
        #expect(fixture.recording.recordedRanges().count == 2)
        await #expect(throws: WindowOutOfRangeError.self) {
            try await fixture.text(.span(from: Self.time(100), to: nil), isStrict: true)
        }
        #expect(try await fixture.window(.all).segments.count == 130)
        await fixture.close()
    }

    /// A key's implicit vector (RFC 8216bis §5.2) becomes explicit if the playlist's numbers differ.
    @Test(arguments: [EncryptionKey.Method.aes128, .sampleAES])
    func keysDoNotDependOnPosition(method: EncryptionKey.Method) async throws {
        let rows = TimelineRows.stored(0..<3000) { row in
            row.conditions = TimelineRows.conditions(key: 1, map: row.number < 300 ? nil : 2)
            for index in row.conditions.keys.indices { row.conditions.keys[index].method = method }
        }
        let fixture = try await WindowFixture(rows)
        try await fixture.timeline.remove(Array(100..<2500))
        let playlist = try await fixture.window(.all)
        #expect(playlist.segments.count == 600)
        for segment in playlist.resolvedSegments {
            let number = try #require(Int(segment.segment.uri.prefix { $0 != "." }))
            let key = try #require(segment.segment.keys.first)
            #expect(
                key.initializationVector(mediaSequence: segment.mediaSequence)
                    == EncryptionKey(method: .aes128).initializationVector(mediaSequence: number))
            #expect(key.uri == "key-1.key.ts")
            #expect(segment.segment.map?.uri == (number < 300 ? nil : "init-2.mp4"))
        }
        // A vector is written only if necessary.
        #expect(try await !fixture.text(.span(from: Self.time(0), to: Self.time(50))).contains("IV="))
        #expect(try await !fixture.text(.span(from: Self.time(2550), to: Self.time(2600))).contains("IV="))
        await fixture.close()
    }
}
