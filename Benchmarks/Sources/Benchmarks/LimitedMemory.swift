import Foundation

/// The benchmark of serving a cached file that is four times as large as the memory for it, against nginx with its own
/// copy and the same limit.
struct LimitedMemory: Benchmark {
    private static let limit = 256 << 20
    private static let connections = 16

    let options: Options
    let report: Report

    func run() async throws {
        let origin = try await NginxOrigin(serving: Fixtures.folder)
        let folder = try TemporaryFolder("bench")
        let server = try await RunningServer(cache: folder.path)
        let copies = try TemporaryFolder("bench-copy")
        try FileManager.default.copyItem(
            atPath: "\(Fixtures.folder)/\(Fixtures.big)", toPath: copies.file(Fixtures.big))
        let nginx = try await NginxPeer(serving: copies.path)
        let groups: [MemoryGroup]
        do {
            groups = [try MemoryGroup(limit: Self.limit), try MemoryGroup(limit: Self.limit)]
            try groups[0].add(server.tree)
            try groups[1].add(nginx.tree)
        } catch {
            return report.say("\nSkipped: memory can't be limited (\(error))")
        }
        defer { withExtendedLifetime(groups) {} }
        let (ours, theirs) = (try await server.play(origin.url(Fixtures.big)), nginx.url(Fixtures.big))
        try await Curl.read(ours)
        // Pages that another process has read would count for its group.
        sync()
        try Self.removeFromPageCache(copies.path)
        try Self.removeFromPageCache(folder.path)
        report.begin("Serving 1 GiB from the cache with \(Self.limit >> 20) MiB of memory, \(Self.connections) clients")
        for range in [1 << 20, 64 << 10] {
            let load = Wrk(range: range, fileLength: 1 << 30, connections: Self.connections, seconds: options.seconds)
            try report.add(
                await Comparison.alternating(
                    Comparison.rateAndCPU("\(range >> 10) KiB ranges"), peer: "nginx", rounds: options.rounds,
                    ours: { try await server.tree.rateAndCPU { try await load.run(ours) } },
                    theirs: { try await nginx.tree.rateAndCPU { try await load.run(theirs) } }))
        }
        try await server.stop()
        try await nginx.stop()
    }

    /// Removes the content of all files in a folder from the page cache.
    private static func removeFromPageCache(_ folder: String) throws {
        #if os(Linux)
            for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
                let descriptor = open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0 else { continue }
                posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
                close(descriptor)
            }
        #endif
    }
}
