import Foundation
import Testing

extension AcceptanceTests {
    /// Tests of MP4 files made from a stream with one damaged segment.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffmpeg", "ffprobe")))
    struct DamagedStreamTests {
        /// The number of the damaged segment. The stream has six segments of one second.
        private static let damaged = 3

        /// Returns a copy of a stream with a scrambled packet in the middle of a segment.
        private func stream() async throws -> TemporaryFolder {
            let folder = try await StreamFixtures.copy()
            let segment = URL(filePath: folder.file("\(StreamKind.transportStream.name)\(Self.damaged).ts"))
            var bytes = [UInt8](try Data(contentsOf: segment))
            let videoPacket = stride(from: bytes.count / 2 / 188 * 188, to: bytes.count, by: 188).first {
                Int(bytes[$0 + 1] & 0x1F) << 8 | Int(bytes[$0 + 2]) == 0x100
            }
            bytes[try #require(videoPacket) + 3] |= 0x80
            try Data(bytes).write(to: segment)
            return folder
        }

        /// The command exits with 2. The file contains every packet of the other segments at its original time.
        @Test func fileHasAllSegmentsExceptDamagedOne() async throws {
            let source = try await stream()
            let folder = try TemporaryFolder("output")
            let whole = try await NginxOrigin(serving: StreamFixtures.folder)
            let origin = try await NginxOrigin(serving: source.path)
            let playlist = "\(StreamKind.transportStream.name).m3u8"
            try await MediaCacheBinary.output([
                "get", whole.url(playlist).absoluteString, "-o", folder.file("whole.mp4"), "-q", "--cache",
                folder.file("cache"),
            ])
            let options = ["-q", "--cache", folder.file("damaged")]
            for command in ["get", "export"] {
                let film = folder.file("\(command).mp4")
                let result = try await MediaCacheBinary.run(
                    [command, origin.url(playlist).absoluteString, "-o", film] + options)
                #expect(result.ending == .exit(2), "\(command)")
                #expect(result.errorText.contains("1 segment is damaged and becomes a gap"), "\(result.errorText)")
                #expect(
                    result.errorText.contains("at \(Self.damaged).000 s: 00000\(Self.damaged + 1).ts"), "\(command)")
                let streams = try await ProbedStream.read(from: film)
                let references = try await ProbedStream.read(from: folder.file("whole.mp4"))
                try #require(streams.count == 2 && references.count == 2)
                for (one, reference) in zip(streams, references) {
                    // The times of the damaged segment, and of the audio frame that extends into it.
                    let span = Double(Self.damaged) - 0.1...Double(Self.damaged) + 1.1
                    let isOutside = { (packet: ProbedStream.Packet) in
                        !span.contains(Double(packet.pts) * reference.tick - reference.start)
                    }
                    let expected = Set(reference.packets.filter(isOutside))
                    #expect(expected.count > reference.packets.count * 3 / 4)
                    #expect(Set(one.packets.filter(isOutside)) == expected, "\(command), \(one.type)")
                }
            }
        }
    }
}
