/// The packets of a public sample as ffprobe tells them, with what is wrong in that put right.
public struct PacketOracle: Sendable {
    /// Where the oracles lie in the corpora.
    public static let folder = "derived/media/ffprobe-packets"

    /// By the number of the stream, which is the track's here.
    public private(set) var streams: [Int: OracleStream] = [:]
    /// The streams that are no tracks here: pictures in the metadata.
    public private(set) var artwork: [OracleStream] = []
    /// Whether the file ends in the middle of a packet.
    public private(set) var isCutOff = false

    /// Reads an oracle.
    ///
    /// - Parameters:
    ///   - csv: its text.
    ///   - path: the sample's path in the corpora.
    public init(_ csv: String, of path: String) {
        for line in csv.split(separator: "\n") {
            let words = line.split(separator: " ")
            if line.hasPrefix("#stream "), let number = Int(words[1]) {
                streams[number] = OracleStream(line)
            } else if let number = line.firstIndex(of: ",").flatMap({ Int(line[..<$0]) }),
                let packet = OraclePacket(line.split(separator: ",", omittingEmptySubsequences: false).dropFirst())
            {
                streams[number]?.packets.append(packet)
            }
        }
        for (number, difference) in OracleDifference.all[path] ?? [:] {
            guard let stream = streams[number] else { continue }
            streams[number] = difference.corrected(stream)
            if streams[number] == nil { artwork.append(stream) }
            if case .endsInAPacket = difference { isCutOff = true }
        }
    }
}
