import Foundation

/// A Varnish server in front of an origin, with its store in memory.
final class VarnishPeer: Sendable {
    let port: Int
    private let folder: TemporaryFolder
    let process: ChildProcess

    init(caching origin: NginxOrigin) async throws {
        let folder = try TemporaryFolder("varnish")
        self.folder = folder
        port = try FreePort.next()
        let configuration = """
            vcl 4.1;
            backend origin { .host = "127.0.0.1"; .port = "\(origin.port)"; }
            sub vcl_backend_response { set beresp.do_stream = true; set beresp.ttl = 1h; }
            """
        try configuration.write(toFile: folder.file("cache.vcl"), atomically: true, encoding: .utf8)
        try FileManager.default.createDirectory(atPath: folder.file("work"), withIntermediateDirectories: true)
        process = try ChildProcess(
            Peer.required("varnishd"),
            ["-F", "-n", folder.file("work"), "-j", "none", "-a", "127.0.0.1:\(port)", "-T", "none"]
                + ["-f", folder.file("cache.vcl"), "-s", "malloc,2g"])
        let probe = url("")
        _ = try await eventually("Varnish listens", within: .seconds(30)) { () -> HTTPConnection.Head? in
            if let ending = process.ending { throw HarnessError("varnishd: \(ending): \(process.errorText)") }
            guard let connection = try? HTTPConnection(to: probe) else { return nil }
            return try? connection.request(probe)
        }
    }

    deinit { process.signal(SIGTERM) }

    func stop() async throws {
        process.signal(SIGTERM)
        try await process.end(within: .seconds(20))
    }

    func url(_ path: String) -> URL { URL(string: "http://127.0.0.1:\(port)/\(path)") ?? URL(fileURLWithPath: "/") }
}
