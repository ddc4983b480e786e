/// The packets of a public sample file as listed by ffprobe, corrected according to the standards.
public struct PacketOracle: Sendable {
    /// The folder of the oracles within the corpora.
    public static let folder = "derived/media/ffprobe-packets"

    /// The streams by number, which equals the index of the track.
    public private(set) var streams: [Int: OracleStream] = [:]
    /// The streams that are pictures in the metadata, not tracks.
    public private(set) var artwork: [OracleStream] = []
    /// Whether the file ends inside a packet.
    public private(set) var isCutOff = false

    /// Reads an oracle.
    ///
    /// - Parameters:
    ///   - csv: The text of the oracle.
    ///   - path: The path of the sample file in the corpora.
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
            if case .truncatedLastPacket = difference { isCutOff = true }
        }
    }
}
