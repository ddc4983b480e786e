import HLS
import Testing

@testable import MediaLibrary

/// Tests of the numbering of discontinuities, which must be the same on all tracks.
struct DiscontinuityNumberTests {
    private var video = FollowedPlaylist()
    private var audio = FollowedPlaylist()
    /// The numbers of the segments that follow a discontinuity.
    private var breaks = [8, 14, 20, 40]

    init() { audio.names = "http://origin.example/audio/#.ts" }

    /// Loads segments of a track whose origin counts discontinuities from `first`.
    private func load(
        _ track: inout FollowedPlaylist, _ numbers: Range<Int>, from first: Int = 5, otherTrack other: FollowedPlaylist
    ) throws {
        track.others = [other.follower.numbers]
        track.lines = [:]
        for number in breaks { track.lines[number] = "#EXT-X-DISCONTINUITY" }
        let before = breaks.count { $0 < numbers.lowerBound }
        track.header = "#EXT-X-DISCONTINUITY-SEQUENCE:\(first + before)\n"
        try track.load(numbers)
    }

    /// Returns the discontinuity number of each segment, by its file name.
    private func numbers(_ track: FollowedPlaylist) -> [String: Int64] {
        Dictionary(zip(track.recorded, track.discontinuities)) { _, last in last }.filter { $0.key != "-" }
    }

    private func check(_ from: Int = 0) {
        let (videoNumbers, audioNumbers) = (numbers(video), numbers(audio))
        for number in from..<100 {
            guard let one = videoNumbers["\(number).ts"], let other = audioNumbers["\(number).ts"] else { continue }
            #expect(one == other, "segment \(number)")
        }
    }

    /// An audio rendition appears after three discontinuities.
    @Test(arguments: [true, false]) func lateTrackAdoptsNumbersOfOtherTracks(isRestarted: Bool) throws {
        var test = self
        for end in 6..<24 { try test.load(&test.video, end - 6..<end, otherTrack: test.audio) }
        if isRestarted { test.video.restart() }
        for end in 24..<44 {
            try test.load(&test.video, end - 6..<end, otherTrack: test.audio)
            try test.load(&test.audio, end - 6..<end, otherTrack: test.video)
            if isRestarted, end == 30 { test.audio.restart() }
        }
        #expect(test.audio.rows.first?.originSequence == 18)
        test.check()
        #expect(test.video.rows.filter(\.isDiscontinuous).map(\.originSequence) == test.breaks)
        #expect(test.audio.rows.filter(\.isDiscontinuous).map(\.originSequence) == [20, 40])
    }

    /// The video's first playlist contains the discontinuity with which the audio's begins. Either may be loaded first.
    @Test(arguments: [true, false]) func numbersAgreeWhenTracksBeginAroundDiscontinuity(isVideoFirst: Bool) throws {
        var test = self
        if isVideoFirst { try test.load(&test.video, 5..<11, otherTrack: test.audio) }
        try test.load(&test.audio, 8..<12, otherTrack: test.video)
        for end in 11..<30 {
            try test.load(&test.video, end - 6..<end, otherTrack: test.audio)
            try test.load(&test.audio, end - 6..<end, otherTrack: test.video)
        }
        test.check()
    }

    /// A track begins with a discontinuity that the other track lacks.
    @Test func ignoresFirstDiscontinuityThatOtherTracksLack() throws {
        var test = self
        test.breaks = []
        for end in 6..<9 { try test.load(&test.video, end - 6..<end, from: 0, otherTrack: test.audio) }
        test.breaks = [3]
        try test.load(&test.audio, 3..<9, from: 1, otherTrack: test.video)
        test.check()
        let first = test.audio.follower.firstDiscontinuities
        #expect(first == 0)
        let page = TimelinePage(first: test.audio.rows[0].number, discontinuities: first, segments: test.audio.rows)
        #expect(TimelinePage(encoded: page.encoded)?.discontinuities == 0)
    }

    /// The video restarts one load before the audio. Their numbers agree, regardless of the origin's count after that.
    @Test(arguments: [0, 5, 90]) func numbersAgreeWhenTracksRestartTogether(first: Int) throws {
        var test = self
        for end in 6..<16 {
            try test.load(&test.video, end - 6..<end, otherTrack: test.audio)
            try test.load(&test.audio, end - 6..<end, otherTrack: test.video)
        }
        for end in 19..<44 {
            test.video.shift = 7000
            test.video.names = "http://two.example/video/#.ts"
            try test.load(&test.video, max(17, end - 6)..<end, from: first, otherTrack: test.audio)
            if end >= 20 {
                test.audio.shift = 7000
                test.audio.names = "http://two.example/audio/#.ts"
                try test.load(&test.audio, max(17, end - 6)..<end, from: first, otherTrack: test.video)
            }
        }
        test.check()
    }

    /// Only one track restarts. The tracks agree again after the origin's next discontinuity.
    @Test(arguments: [5, 0]) func numbersAgreeAgainAfterOneTrackRestarts(first: Int) throws {
        var test = self
        for end in 6..<23 {
            try test.load(&test.video, end - 6..<end, otherTrack: test.audio)
            try test.load(&test.audio, end - 6..<end, otherTrack: test.video)
        }
        for end in 24..<60 {
            test.video.shift = 7000
            test.video.names = "http://two.example/video/#.ts"
            try test.load(&test.video, max(22, end - 6)..<end, from: first, otherTrack: test.audio)
            try test.load(&test.audio, end - 6..<end, otherTrack: test.video)
        }
        test.check(41)
    }

    // MARK: - Missed discontinuities

    /// Three discontinuities are published between two loads, which may belong to two processes.
    @Test(arguments: [true, false], [nil, 0]) func countsMissedDiscontinuities(
        isRestarted: Bool, clock: Double?
    ) throws {
        var test = self
        test.video.clock = clock
        try test.load(&test.video, 0..<6, otherTrack: test.audio)
        if isRestarted { test.video.restart() }
        try test.load(&test.video, 30..<36, otherTrack: test.audio)
        #expect(test.video.rows.first { $0.url.hasSuffix("/30.ts") }?.isDiscontinuous == true)
        #expect(test.numbers(test.video)["30.ts"] == test.numbers(test.video)["5.ts"]! + 3)
        // A track that saw the discontinuities has the same count.
        for end in 6..<36 { try test.load(&test.audio, end - 6..<end, otherTrack: test.video) }
        test.check()
    }
}
