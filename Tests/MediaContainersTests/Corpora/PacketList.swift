import MediaContainers

/// Packets per stream: from a CSV that ffprobe wrote, or from a reader of this library.
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
