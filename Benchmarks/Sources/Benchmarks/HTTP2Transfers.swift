import Foundation

/// The benchmark that decides on HTTP/2 with origins: curl fetches 600 segments from nginx behind a proxy that delays
/// each direction by 25 ms, over one connection of HTTP/2 and over 16 connections of HTTP/1.1, both over TLS.
struct HTTP2Transfers: Benchmark {
    private static let segments = 600
    /// The length of a segment in bytes.
    private static let length = 94_000
    private static let connections = 16

    let options: Options
    let report: Report

    func run() async throws {
        if let reason = try await Self.missingFeature() { return report.say("\nHTTP/2 skipped: \(reason).") }
        let (folder, keys) = (try TemporaryFolder("bench-http2"), try TemporaryFolder("bench-keys"))
        for number in 0..<Self.segments {
            try RandomFile.write(bytes: Self.length, seed: UInt64(number + 1), to: folder.file("\(number).ts"))
        }
        try await Peer.run(
            "openssl",
            ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
                + ["-keyout", keys.file("key.pem"), "-out", keys.file("certificate.pem")])
        let nginx = try await NginxPeer(
            serving: folder.path, certificate: keys.file("certificate.pem"), key: keys.file("key.pem"))
        let proxy = try DelayingProxy(to: nginx.port, delay: .milliseconds(25))
        let url = "https://127.0.0.1:\(proxy.port)/[0-\(Self.segments - 1)].ts"
        report.begin(
            "\(Self.segments) segments of 94 KB by curl, 25 ms in each direction; ours: HTTP/2, below 1: faster")
        for streams in [Self.connections, 100] {
            try report.add(
                await Comparison.alternating(
                    "one connection, \(streams) streams", peer: "HTTP/1.1, \(Self.connections) connections", unit: "s",
                    rounds: options.rounds,
                    ours: { try await Self.seconds(url, ["--http2"], transfers: streams, connections: 1) },
                    theirs: {
                        try await Self.seconds(
                            url, ["--http1.1"], transfers: Self.connections, connections: Self.connections)
                    }))
        }
        try await nginx.stop()
    }

    /// Returns curl's running time in seconds. Throws an error unless it received all segments over at most a number of
    /// connections.
    private static func seconds(
        _ url: String, _ version: [String], transfers: Int, connections: Int
    ) async throws -> Double {
        let child = try await ChildProcess.run(
            Peer.required("curl"),
            ["-sS", "--fail", "--insecure", "--parallel", "--parallel-max", "\(transfers)"] + version
                + ["-o", "/dev/null", "-w", "%{num_connects} %{size_download}\n", url])
        let lines = child.outputText.split(separator: "\n").map { $0.split(separator: " ").compactMap { Int($0) } }
        let opened = lines.reduce(0) { $0 + ($1.first ?? 0) }
        guard lines.count == segments, lines.allSatisfy({ $0.last == length }), opened <= connections else {
            throw HarnessError("curl received \(lines.count) segments over \(opened) connections")
        }
        return child.seconds
    }

    /// Returns what the installed programs lack; nil if they can use HTTP/2.
    private static func missingFeature() async throws -> String? {
        guard try Peer.isInstalled("curl", "nginx", "openssl") else { return "curl, nginx or openssl isn't installed" }
        let curl = String(decoding: try await Peer.run("curl", ["--version"]), as: UTF8.self)
        guard curl.contains(" HTTP2 ") else { return "curl was built without HTTP/2" }
        let nginx = try ChildProcess(Peer.required("nginx"), ["-V"])
        try await nginx.end(within: .seconds(20))
        guard nginx.errorText.contains("http_v2_module") else { return "nginx was built without HTTP/2" }
        return nil
    }
}
