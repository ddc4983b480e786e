import Foundation
import Testing

extension CommandAcceptanceTests {
    /// Tests of `faststart` with files and URLs.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffmpeg", "ffprobe")))
    struct FastStartCommandTests {
        /// The packets and the length of the file don't change, and the index precedes the media.
        @Test func movesIndexToStart() async throws {
            try await Fixtures.shared.clips()
            let folder = try TemporaryFolder("output")
            let source = "\(Fixtures.folder)/\(Fixtures.moovLast)"
            let output = folder.file("fast.mp4")
            let text = try await MediaCacheBinary.output(["faststart", source, output])
            #expect(text.hasPrefix("Moved the index"))
            let boxes = try await Self.boxes(of: output)
            #expect(boxes.firstIndex(of: "moov") ?? .max < boxes.firstIndex(of: "mdat") ?? .min, "\(boxes)")
            #expect(try await Self.packets(output) == Self.packets(source))
            let sizes = try [source, output].map { try FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int }
            #expect(sizes[0] == sizes[1])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["fast.mp4"])

            // An existing file is replaced only with --force.
            let again = try await MediaCacheBinary.run(["faststart", source, output])
            #expect(again.ending == .exit(1))
            #expect(again.errorText.contains("--force"))
            let once = FileManager.default.contents(atPath: output)
            let moved = try await MediaCacheBinary.output(["faststart", output, output, "--force", "--json"])
            #expect(moved.contains("\"moved\" : false"))
            #expect(FileManager.default.contents(atPath: output) == once)
        }

        @Test func readsURLThroughCache() async throws {
            try await Fixtures.shared.clips()
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try TemporaryFolder("output")
            let source = "\(Fixtures.folder)/\(Fixtures.moovLast)"
            try await MediaCacheBinary.output(["faststart", source, folder.file("file.mp4")])
            try await MediaCacheBinary.output([
                "faststart", origin.url(Fixtures.moovLast).absoluteString, folder.path, "--cache", folder.file("cache"),
            ])
            #expect(
                FileManager.default.contentsEqual(
                    atPath: folder.file("file.mp4"), andPath: folder.file(Fixtures.moovLast)))
            #expect(try await origin.log().repeatedBytes == 0)
        }

        @Test func refusesOtherFormats() async throws {
            let folder = try TemporaryFolder("output")
            let text = folder.file("text.mp4")
            try "plain text that isn't an MP4 file".write(toFile: text, atomically: true, encoding: .utf8)
            let result = try await MediaCacheBinary.run(["faststart", text, folder.file("out.mp4"), "-q"])
            #expect(result.ending == .exit(1))
            #expect(result.errorText.split(separator: "\n").count == 1, "\(result.errorText)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["text.mp4"])
        }

        private static func boxes(of path: String) async throws -> [String] {
            let object = try await MediaCacheBinary.object(["inspect", "--json", path])
            return (object["boxes"] as? [[String: Any]] ?? []).compactMap { $0["type"] as? String }
        }

        /// Returns ffprobe's output for a file's packets, without their positions.
        static func packets(_ path: String) async throws -> Data {
            try await Peer.run(
                "ffprobe",
                ["-v", "error", "-show_packets", "-show_data_hash", "crc32", "-show_entries"]
                    + ["packet=stream_index,pts,dts,duration,size,flags,data_hash", "-of", "csv", path])
        }
    }
}
