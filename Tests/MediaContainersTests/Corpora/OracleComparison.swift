import MediaContainers
import PacketOracles
import TestSupport
import Testing

/// A sink that compares the samples of a public file with its oracle, packet by packet.
struct OracleComparison: SampleSink {
    let path: String
    let oracle: PacketOracle
    /// Whether the container stores sample durations.
    let hasDurations: Bool
    private(set) var tracks: [MediaTrack] = []
    private var samples: [[(sample: MediaSample, bytes: [UInt8])]] = []

    init(_ path: String, hasDurations: Bool = false) throws {
        self.path = path
        self.hasDurations = hasDurations
        oracle = PacketOracle(try Corpora.text("\(PacketOracle.folder)/\(path).csv"), of: path)
    }

    /// Returns the paths of the files with an oracle, limited to those that have one of the endings or satisfy `also`.
    /// Throws an error if there are none.
    static func paths(_ endings: [String], also: (String) -> Bool = { _ in false }) throws -> [String] {
        let paths = try Corpora.files(PacketOracle.folder).map { String($0.dropLast(4)) }
            .filter { path in endings.contains { path.hasSuffix($0) } || also(path) }
        return try Prerequisite.cases(paths, of: PacketOracle.folder)
    }

    mutating func tracks(_ tracks: [MediaTrack]) {
        self.tracks = tracks
        while samples.count < tracks.count { samples.append([]) }
    }

    mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) {
        samples[sample.track].append((sample, Array(bytes)))
    }

    /// Records the differences from the oracle as issues. Of each stream, only the first differing packet is recorded.
    func expect() {
        for (number, stream) in oracle.streams {
            guard tracks.indices.contains(number) else {
                Issue.record("\(path): track \(number) is missing")
                continue
            }
            let ours = samples[number]
            let expected = stream.packets.count
            #expect(stream.isTruncated ? ours.count >= expected : ours.count == expected, "\(path) \(number)")
            for (index, (mine, packet)) in zip(ours, stream.packets).enumerated() {
                let next = ours.indices.contains(index + 1) ? ours[index + 1].sample : nil
                let differences = differences(mine.sample, mine.bytes, packet, stream, tracks[number], next: next)
                guard !differences.isEmpty else { continue }
                Issue.record("\(path) stream \(number) packet \(index): \(differences.joined(separator: ", "))")
                break
            }
        }
    }

    private func differences(
        _ sample: MediaSample, _ bytes: [UInt8], _ packet: OraclePacket, _ stream: OracleStream, _ track: MediaTrack,
        next: MediaSample?
    ) -> [String] {
        func ticks(_ time: Int64) -> Int64 {
            Timescale.convert(time, from: track.timescale, to: Int32(stream.ticks))
        }
        var found: [String] = []
        func compare<Value: Equatable>(_ name: String, _ mine: Value, _ their: Value) {
            if mine != their { found.append("\(name) \(mine), not \(their)") }
        }
        compare("pts", ticks(sample.pts), packet.pts)
        compare("dts", ticks(sample.dts), packet.dts)
        let content = packet.content.of(bytes)
        compare("size", content.count, packet.size)
        compare("checksum", content.withUnsafeBytes { CRC32.checksum($0) }, packet.checksum)
        compare("sync", sample.isSync, packet.isSync)
        compare("hidden", sample.isHidden, packet.isHidden)
        // A duration that equals the distance to the next sample isn't compared, because ffprobe may derive its own
        // from the codec or the frame rate.
        if hasDurations, let next, sample.duration != next.dts - sample.dts, let duration = packet.duration {
            compare("duration", ticks(sample.duration), duration)
        }
        return found
    }
}

/// The packets of each stream, from an ffprobe CSV or from a reader of this library.
struct PacketList: Equatable {
    struct Packet: Equatable, CustomStringConvertible {
        var pts: Int64?
        var dts: Int64?
        var duration: Int64?
        var size: Int
        var flags: String
        var crc: UInt32
        var description: String {
            "pts \(pts.map(String.init) ?? "-") dts \(dts.map(String.init) ?? "-") "
                + "dur \(duration.map(String.init) ?? "-") size \(size) \(flags) \(String(crc, radix: 16))"
        }
    }

    var streams: [Int: [Packet]] = [:]

    init() {}

    /// Reads the packets of an MP4 file.
    init(_ source: some ByteSource) throws(ContainerError) { try MP4Reader(source).deliver(to: &self) }

    init(csv: String) {
        for line in csv.split(separator: "\n") where !line.hasPrefix("#") && !line.hasPrefix("stream") {
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            guard fields.count == 7, let stream = Int(fields[0]), let size = Int(fields[4]),
                let crc = UInt32(fields[6], radix: 16)
            else { continue }
            streams[stream, default: []].append(
                Packet(
                    pts: Int64(fields[1]), dts: Int64(fields[2]), duration: Int64(fields[3]), size: size,
                    flags: String(fields[5]), crc: crc))
        }
    }
}

extension PacketList: SampleSink {
    mutating func tracks(_ tracks: [MediaTrack]) {}

    mutating func sample(_ sample: MediaSample, bytes: UnsafeRawBufferPointer) {
        streams[sample.track, default: []].append(
            Packet(
                pts: sample.pts, dts: sample.dts, duration: sample.duration, size: sample.size,
                flags: (sample.isSync ? "K" : "_") + (sample.isHidden ? "D" : "_"), crc: CRC32.checksum(bytes)))
    }
}
