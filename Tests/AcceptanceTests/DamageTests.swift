import Foundation
import Testing

extension AcceptanceTests {
    /// Tests of playback with a cache folder that is full, read-only or damaged.
    @Suite(.enabled(if: try Peer.isInstalled("nginx", "ffmpeg")))
    struct DamageTests {
        @Test(.enabled(if: try MountedFolder.canMount()))
        func fullDiskDoesNotStopPlayback() async throws {
            let file = try await Fixtures.shared.random(Fixtures.medium)
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try await MountedFolder(mebibytes: 16)
            let server = try await RunningServer(cache: folder.path)
            let url = try await server.play(origin.url(Fixtures.medium))
            for _ in 1...2 {
                #expect(try await isIntact(url, file))
            }
            let (middle, connection) = (60_000_000..<61_000_000, try HTTPConnection(to: url))
            _ = try connection.request(url, range: middle)
            #expect(try connection.firstDifference(from: file, at: middle.lowerBound) == nil)
            try await server.stop()
            let (ending, verification) = try await Verification.run(in: folder.path)
            #expect(ending == .exit(0), "\(verification.findings)")
        }

        @Test(.enabled(if: try MountedFolder.canMount()))
        func readOnlyFolderDoesNotStopPlayback() async throws {
            try await Fixtures.shared.clips()
            let file = try MappedFile("\(Fixtures.folder)/\(Fixtures.moovFirst)")
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try await MountedFolder(mebibytes: 64)
            let cached = origin.url(Fixtures.moovFirst)
            let server = try await RunningServer(cache: folder.path)
            #expect(try await isIntact(server.play(cached), file))
            let token = try await server.playbackToken()
            try await server.stop()

            try await folder.makeReadOnly()
            let second = try await RunningServer(cache: folder.path)
            #expect(try await isIntact(Self.playURL(of: cached, through: second, token: token), file))
            let other = URL(string: "\(cached)?other=1") ?? cached
            #expect(try await isIntact(Self.playURL(of: other, through: second, token: token), file))
            try await second.stop()
        }

        @Test func corruptCatalogDoesNotStopPlayback() async throws {
            let (origin, folder, sources) = try await filledFolder(resources: 2)
            let file = try MappedFile("\(Fixtures.folder)/\(Fixtures.moovFirst)")
            let garbage = Data((0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
            let catalog = try CacheFolder.catalog(in: folder.path)
            #expect(!catalog.isEmpty)
            for path in catalog { try garbage.write(to: URL(fileURLWithPath: path)) }

            let server = try await RunningServer(cache: folder.path)
            for source in sources { #expect(try await isIntact(server.play(source), file)) }
            let filled = try await origin.log()
            for source in sources { #expect(try await isIntact(server.play(source), file)) }
            #expect(try await origin.log().since(filled).bodyBytes == 0)
            try await server.stop()
            let setAside = try CacheFolder.files(in: folder.path).filter {
                FileManager.default.contents(atPath: $0)?.starts(with: garbage.prefix(4096)) == true
            }
            #expect(!setAside.isEmpty, "the damaged catalog was deleted")
            let (ending, verification) = try await Verification.run(in: folder.path)
            #expect(ending == .exit(0), "\(verification.findings)")
        }

        @Test func fetchesDamagedBlobsAgain() async throws {
            let (origin, folder, sources) = try await filledFolder(resources: 4)
            let file = try MappedFile("\(Fixtures.folder)/\(Fixtures.moovFirst)")
            let blobs = try damage(folder.path)
            #expect(blobs.count == 4)
            let before = try await origin.log()
            let server = try await RunningServer(cache: folder.path)
            for source in sources { #expect(try await isIntact(server.play(source), file)) }
            let log = try await origin.log().since(before)
            let intact = Int64(file.count)
            #expect(log.bodyBytes > intact, "a deleted blob and half of another must be fetched again")
            #expect(log.bodyBytes < 3 * intact, "intact blobs were fetched again: \(log.summary)")
            try await server.stop()
            let (ending, verification) = try await Verification.run(in: folder.path)
            #expect(ending == .exit(0), "\(verification.findings)")
        }

        /// `verify` reports damage and fails. Damaged blocks become holes and are fetched at the next read.
        @Test func verifyReportsDamage() async throws {
            let (origin, folder, sources) = try await filledFolder(resources: 4)
            let file = try MappedFile("\(Fixtures.folder)/\(Fixtures.moovFirst)")
            #expect(try await Verification.run(in: folder.path).ending == .exit(0))
            _ = try damage(folder.path)
            let found = try await Verification.run(in: folder.path)
            #expect(found.ending == .exit(1))
            #expect(found.output.findings.count >= 3, "\(found.output.findings)")
            #expect(found.output.findings.allSatisfy { !$0.isRepaired })
            let server = try await RunningServer(cache: folder.path)
            for source in sources { #expect(try await isIntact(server.play(source), file)) }
            try await server.stop()
            let after = try await Verification.run(in: folder.path)
            #expect(after.ending == .exit(0), "\(after.output.findings)")
            origin.stop()
        }

        @Test func repairFetchesDamagedBlocks() async throws {
            let (origin, folder, sources) = try await filledFolder(resources: 4)
            let file = try MappedFile("\(Fixtures.folder)/\(Fixtures.moovFirst)")
            _ = try damage(folder.path)
            let repaired = try await Verification.run(in: folder.path, repair: true)
            #expect(repaired.output.findings.count >= 3, "\(repaired.output.findings)")
            #expect(repaired.output.findings.allSatisfy { $0.isRepaired }, "\(repaired.output.findings)")
            let after = try await Verification.run(in: folder.path)
            #expect(after.ending == .exit(0), "\(after.output.findings)")
            #expect(try await ListedResource.all(in: folder.path).values.allSatisfy { $0.complete })

            let before = try await origin.log()
            let server = try await RunningServer(cache: folder.path)
            for source in sources { #expect(try await isIntact(server.play(source), file)) }
            try await server.stop()
            #expect(try await origin.log().since(before).bodyBytes == 0)
        }

        /// Returns a cache folder with complete clips and no running server.
        private func filledFolder(resources: Int) async throws -> (NginxOrigin, TemporaryFolder, [URL]) {
            try await Fixtures.shared.clips()
            let file = try MappedFile("\(Fixtures.folder)/\(Fixtures.moovFirst)")
            let origin = try await NginxOrigin(serving: Fixtures.folder)
            let folder = try TemporaryFolder("cache")
            let server = try await RunningServer(cache: folder.path)
            let sources = (0..<resources).compactMap { URL(string: "\(origin.url(Fixtures.moovFirst))?copy=\($0)") }
            for source in sources { #expect(try await isIntact(server.play(source), file)) }
            try await server.stop()
            return (origin, folder, sources)
        }

        /// Truncates one blob, flips bits in another, and deletes a third. Returns the paths of all blobs.
        private func damage(_ cache: String) throws -> [String] {
            let blobs = try CacheFolder.blobs(in: cache)
            guard blobs.count >= 3 else { throw HarnessError("\(blobs.count) blobs in \(cache)") }
            try CacheFolder.truncate(blobs[0], to: 5_000_000)
            try CacheFolder.flipBits(in: blobs[1], at: [0, 65_535, 65_536, 1_000_000, 7_654_321])
            try FileManager.default.removeItem(atPath: blobs[2])
            return blobs
        }

        private func isIntact(_ url: URL, _ file: MappedFile) async throws -> Bool {
            try await onThread {
                let connection = try HTTPConnection(to: url)
                let head = try connection.request(url)
                let difference = try connection.firstDifference(from: file, at: 0)
                return head.status == 200 && head.contentLength == file.count && difference == nil
            }
        }

        /// Returns the playback URL with a token issued by an earlier server, which the server of a read-only folder
        /// accepts too.
        private static func playURL(of source: URL, through server: RunningServer, token: String) -> URL {
            let path = source.absoluteString.replacingOccurrences(of: "://", with: "/")
            return URL(string: "\(server.base)/play/\(token)/\(path)") ?? server.base
        }
    }
}
