import MediaContainers
import TestSupport

/// A sink that occasionally passes false properties of samples and tracks to a writer, as undetected damage would.
struct ScramblingSink<Output: SampleSink>: SampleSink {
    var output: Output
    private var random: SeededGenerator
    private let rate: Int

    /// Creates a sink that scrambles one sample in `rate`, or none if `rate` is 0.
    init(_ output: Output, seed: UInt64, rate: Int) {
        self.output = output
        self.rate = rate
        random = SeededGenerator(seed: seed)
    }

    private static var times: [Int64] {
        [.min, .min + 1, -1 << 59, -1 << 33, -90_000, -1, 0, 1, 1 << 31, 1 << 32, 1 << 33, 1 << 47, 1 << 59, .max]
    }

    private mutating func isTime() -> Bool { rate > 0 && Int.random(in: 0..<rate, using: &random) == 0 }

    private mutating func time(_ other: Int64) -> Int64 {
        let extreme = Self.times.randomElement(using: &random) ?? 0
        return Bool.random(using: &random) ? extreme : other &+ extreme
    }

    mutating func tracks(_ tracks: [MediaTrack]) throws(ContainerError) {
        var tracks = tracks
        for index in tracks.indices where isTime() {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: tracks[index].timescale = [1, 7, 90_000, .max].randomElement(using: &random) ?? 1
            case 1: tracks[index].kind = [.video, .audio, .text, .data].randomElement(using: &random) ?? .data
            case 2: tracks[index].language = ["", "e", "deutsch", "\u{0}\u{0}\u{0}"].randomElement(using: &random)
            default: scramble(&tracks[index].formats)
            }
        }
        try output.tracks(tracks)
    }

    private mutating func scramble(_ formats: inout [MediaFormat]) {
        guard let index = formats.indices.randomElement(using: &random) else { return }
        let numbers = [Int.min, -1, 0, 1, 65_535, 65_536, .max]
        switch Int.random(in: 0..<6, using: &random) {
        case 0: formats.remove(at: index)
        case 1: formats[index].configuration.removeLast(min(3, formats[index].configuration.count))
        case 2: formats[index].width = numbers.randomElement(using: &random) ?? 0
        case 3: formats[index].sampleRate = numbers.randomElement(using: &random) ?? 0
        case 4: formats[index].channels = numbers.randomElement(using: &random) ?? 0
        default:
            guard let place = formats[index].configuration.indices.randomElement(using: &random) else { return }
            formats[index].configuration[place] = UInt8.random(in: 0...255, using: &random)
        }
    }

    mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) throws(ContainerError) {
        guard isTime() else { return try output.sample(sample, bytes: bytes) }
        var sample = sample
        switch Int.random(in: 0..<6, using: &random) {
        case 0: sample.dts = time(sample.dts)
        case 1: sample.pts = time(sample.pts)
        case 2: sample.duration = time(sample.duration)
        case 3: sample.track = Int.random(in: -1...3, using: &random)
        case 4: sample.formatIndex = Int.random(in: -1...2, using: &random)
        default: sample.isHidden.toggle()
        }
        let shorter = bytes.prefix(Int.random(in: 0...bytes.count, using: &random))
        try output.sample(sample, bytes: UnsafeRawBufferPointer(rebasing: shorter))
    }
}
