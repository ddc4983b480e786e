import Foundation
import MediaContainers
import TestSupport

@testable import MediaLibrary

/// Streams of all kinds, from which movies are created.
enum SampleStream: String, CaseIterable, Sendable {
    case video = "shaka-player/hls-ts-h264/prog_index.m3u8"
    case videoAndAudio = "shaka-player/hls-ts-muxed-aac-h264/chunk.m3u8"
    case audio = "shaka-player/hls-ts-aac/playlist.m3u8"
    case packedAAC = "shaka-player/hls-raw-aac/stream.m4a.m3u8"
    case packedAC3 = "shaka-player/hls-raw-ac3/prog_index.m3u8"
    case ac3 = "shaka-player/hls-ts-ac3/prog_index.m3u8"
    case enhancedAC3 = "shaka-player/hls-ts-ec3/prog_index.m3u8"
    case gaps = "shaka-player/hls-gap/playlist.m3u8"
    case otherClocks = "shaka-player/hls-text-no-discontinuity/av.m3u8"
    case renditions = "shaka-player/hls-multivideo/master.m3u8"
    case initialized = "androidx-media/media/hls/multi-segment/playlist.m3u8"
    case oneMP4 = "shaka-player/hls-chapters/media.m3u8"
    case discontinuities
    case encrypted
    case byteRanges
    case fragments
    case separateAudio
    case threeAudioTracks
    case threeRenditions
    case damaged
    case damagedWithoutDurations
    case advertisements

    static let folder = Prerequisite.corpora

    struct MissingClip: Error {}

    /// Returns the plan of the stream and its resources.
    func open() throws -> (plan: StreamPlan, resources: MemoryResources) {
        guard let clip = PublicClip.bytes else { throw MissingClip() }
        switch self {
        case .discontinuities:
            let lines = [String](repeating: "#EXT-X-DISCONTINUITY\n#EXTINF:9,\n1.ts", count: 30)
            return try Self.stream(lines, ["1.ts": clip])
        case .encrypted: return try Self.encrypted(clip)
        case .byteRanges:
            let cuts = Self.cut(clip, into: 9, seed: 4)
            let lines = cuts.map { "#EXTINF:1,\n#EXT-X-BYTERANGE:\($0.count)@\($0.lowerBound)\n1.ts" }
            return try Self.stream(lines, ["1.ts": clip])
        case .fragments: return try Self.fragments(clip)
        case .separateAudio:
            let (video, files) = try Self.video.open()
            let (audio, others) = try Self.audio.open()
            let all = files.all.merging(others.all) { $1 }
            return (StreamPlan(inputs: video.inputs + audio.inputs), MemoryResources(all))
        case .threeRenditions: return try Self.named()
        case .damaged: return try Self.damaged(clip)
        case .damagedWithoutDurations: return try Self.damaged(clip, duration: "0")
        case .advertisements: return try Self.advertisements(clip)
        case .threeAudioTracks:
            // Each of the three renditions has a track with the same codec.
            let folder = "shaka-player/hls-multivideo/"
            let files = try Self.files(inFolderOf: folder + "master.m3u8")
            let inputs = ["original", "high_pitch", "low_pitch"].enumerated().map { index, name in
                let url = "http://h/\(folder)\(name)_128k.ts"
                let length = files[url]?.count ?? 0
                let partLength = (50 + index) * 188
                return stride(from: 0, to: length, by: partLength).enumerated().map { place, start in
                    StreamPart(url: url, range: start..<min(length, start + partLength), start: Double(place))
                }
            }
            return (StreamPlan(inputs: inputs), MemoryResources(files))
        default:
            let resources = MemoryResources(try Self.files(inFolderOf: rawValue))
            return (try StreamPlan(playlist: "http://h/\(rawValue)", resources: resources), resources)
        }
    }

    func movie() throws -> StreamMovie<MemoryResources> {
        let (plan, resources) = try open()
        return try StreamMovie(plan, resources: resources)
    }

    /// Divides a transport stream before random packets into at most `count` ranges.
    static func cut(_ stream: [UInt8], into count: Int, seed: UInt64) -> [Range<Int>] {
        var generator = SeededGenerator(seed: seed)
        let packets = stream.count / 188
        let cuts = Set((1..<count).map { _ in Int.random(in: 1..<packets, using: &generator) * 188 }).sorted()
        return zip([0] + cuts, cuts + [stream.count]).map { $0..<$1 }
    }

    static func stream(
        _ lines: [String], _ files: [String: [UInt8]]
    ) throws -> (plan: StreamPlan, resources: MemoryResources) {
        let playlist = "#EXTM3U\n#EXT-X-TARGETDURATION:9\n\(lines.joined(separator: "\n"))\n#EXT-X-ENDLIST\n"
        var all = Dictionary(uniqueKeysWithValues: files.map { ("http://h/\($0.key)", $0.value) })
        all["http://h/index.m3u8"] = Array(playlist.utf8)
        let resources = MemoryResources(all)
        return (try StreamPlan(playlist: "http://h/index.m3u8", resources: resources), resources)
    }

    private static func files(inFolderOf playlist: String) throws -> [String: [UInt8]] {
        let path = playlist.split(separator: "/").dropLast().joined(separator: "/")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: path).path)
        return try Dictionary(
            uniqueKeysWithValues: names.map {
                ("http://h/\(path)/\($0)", Array(try Data(contentsOf: folder.appending(path: "\(path)/\($0)"))))
            })
    }

    /// Returns a stream with an HTML page instead of a segment, a scrambled packet, invalid padding, and a truncated
    /// segment.
    private static func damaged(
        _ clip: [UInt8], duration: String = "0.75"
    ) throws -> (plan: StreamPlan, resources: MemoryResources) {
        var files = ["key": (0..<16).map { UInt8($0) }]
        var lines: [String] = []
        for (index, range) in cut(clip, into: 12, seed: 6).enumerated() {
            var bytes = Array(clip[range])
            switch index {
            case 2: bytes = Array("<!DOCTYPE html><html><body>Sign in</body></html>".utf8)
            case 5: scramble(&bytes)
            case 7: bytes = [UInt8](repeating: 0x5A, count: bytes.count / 16 * 16)
            case 9: bytes.removeSubrange(bytes.count / 2 / 188 * 188 + 77..<bytes.count)
            default: break
            }
            files["\(index).ts"] = bytes
            if index == 7 { lines.append("#EXT-X-KEY:METHOD=AES-128,URI=\"key\"") }
            if index == 8 { lines.append("#EXT-X-KEY:METHOD=NONE") }
            lines.append("#EXTINF:\(duration),\n\(index).ts")
        }
        return try stream(lines, files)
    }

    /// Marks a packet in the middle as scrambled.
    static func scramble(_ stream: inout [UInt8]) {
        let middle = stream.count / 2 / 188
        for packet in middle..<stream.count / 188 {
            let start = packet * 188
            // The packet contains video.
            guard Int(stream[start + 1] & 0x1F) << 8 | Int(stream[start + 2]) == 0x100 else { continue }
            stream[start + 3] |= 0x80
            return
        }
    }

    /// Returns a stream that plays a clip twice, each time after an advertisement whose audio has another codec.
    private static func advertisements(_ clip: [UInt8]) throws -> (plan: StreamPlan, resources: MemoryResources) {
        let path = "shaka-player/hls-ts-ac3"
        let audio = try ac3.open().plan.inputs[0]
        var files = Dictionary(
            uniqueKeysWithValues: cut(clip, into: 12, seed: 7).enumerated().map {
                ("\($0).ts", Array(clip[$1]))
            })
        let advertisement = try audio.prefix(1).map { part in
            let name = part.url.split(separator: "/").last.map(String.init) ?? ""
            files[name] = Array(try Data(contentsOf: folder.appending(path: "\(path)/\(name)")))
            return "#EXTINF:\(part.duration),\n\(name)"
        }
        let film = (0..<12).map { "#EXTINF:0.75,\n\($0).ts" }
        let change = ["#EXT-X-DISCONTINUITY"]
        return try stream(advertisement + change + film + change + advertisement + change + film, files)
    }

    private static func encrypted(_ clip: [UInt8]) throws -> (plan: StreamPlan, resources: MemoryResources) {
        let key = (0..<16).map { UInt8($0) }
        var files = ["key": key]
        var lines = ["#EXT-X-KEY:METHOD=AES-128,URI=\"key\""]
        for (index, range) in cut(clip, into: 7, seed: 5).enumerated() {
            let vector = [UInt8](repeating: 0, count: 15) + [UInt8(index)]
            files["\(index).ts"] = encryptAES(clip[range], key: key, vector: vector)
            lines.append("#EXTINF:1,\n\(index).ts")
        }
        return try stream(lines, files)
    }

    /// Returns video with three named audio renditions. The second one is the default.
    private static func named() throws -> (plan: StreamPlan, resources: MemoryResources) {
        let folder = "shaka-player/hls-multivideo"
        var files = try Self.files(inFolderOf: "\(folder)/master.m3u8").merging(video.open().resources.all) { $1 }
        var entry = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO=\"a\"\n/\(video.rawValue)\n"
        for (index, name) in ["original", "high_pitch", "low_pitch"].enumerated() {
            let file = "/\(folder)/\(name)_128k.ts"
            let (length, partLength) = (files["http://h\(file)"]?.count ?? 0, (50 + index) * 188)
            let parts = stride(from: 0, to: length, by: partLength).map { start in
                "#EXTINF:1,\n#EXT-X-BYTERANGE:\(min(partLength, length - start))@\(start)\n\(file)\n"
            }
            let text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n\(parts.joined())#EXT-X-ENDLIST\n"
            files["http://h/\(name).m3u8"] = Array(text.utf8)
            entry += "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"\(name)\",URI=\"\(name).m3u8\""
            entry += index == 1 ? ",DEFAULT=YES\n" : "\n"
        }
        files["http://h/index.m3u8"] = Array(entry.utf8)
        let (resources, choice) = (MemoryResources(files), StreamChoice(includesAllAudio: true))
        return (try StreamPlan(playlist: "http://h/index.m3u8", choice: choice, resources: resources), resources)
    }

    /// Returns the clip as single-file fragmented MP4.
    private static func fragments(_ clip: [UInt8]) throws -> (plan: StreamPlan, resources: MemoryResources) {
        var remuxer = Remuxer(into: Fragmenter())
        try remuxer.append(MemorySource(clip))
        var fragmenter = try remuxer.finish()
        try fragmenter.end()
        let lines = fragmenter.fragments.map {
            "#EXTINF:1,\n#EXT-X-BYTERANGE:\($0.count)@\($0.lowerBound)\nall.mp4"
        }
        let map = "#EXT-X-MAP:URI=\"all.mp4\",BYTERANGE=\"\(fragmenter.initializationLength)@0\""
        return try stream([map] + lines, ["all.mp4": fragmenter.file])
    }
}

extension StreamPart {
    fileprivate init(url: String, range: Range<Int>, start: Double) {
        self.init(
            url: url, range: Int64(range.lowerBound)..<Int64(range.upperBound), section: nil, key: nil,
            join: .continuous, discontinuities: 0, start: start, duration: 1)
        isSegment = true
    }
}

/// A sink that writes fragments of up to 40 samples.
private struct Fragmenter: SampleSink {
    private(set) var file: [UInt8] = []
    private(set) var fragments: [Range<Int>] = []
    private(set) var initializationLength = 0
    private var writer = FragmentedMovieWriter()
    private var samples: [MediaSample] = []
    private var content: [UInt8] = []

    mutating func tracks(_ tracks: [MediaTrack]) throws(ContainerError) {
        guard file.isEmpty else { return }
        for track in tracks { _ = writer.add(track, timeOffset: Int64(track.timescale)) }
        file = try writer.initializationSection()
        initializationLength = file.count
    }

    mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        if samples.count == 40 { try end() }
        samples.append(sample)
        content += Array(bytes)
    }

    mutating func end() throws(ContainerError) {
        let start = file.count
        file += try writer.fragmentHead(samples) + content
        fragments.append(start..<file.count)
        samples = []
        content = []
    }
}
