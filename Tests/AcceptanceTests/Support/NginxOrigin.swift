import Foundation

/// An nginx process on a free loopback port that serves a folder as the origin.
final class NginxOrigin: Sendable {
    let port: Int
    let root: String
    private let folder: TemporaryFolder
    private let process: ChildProcess

    /// - Parameter bytesPerSecond: The rate of each response; nil for no limit.
    init(serving root: String, bytesPerSecond: Int? = nil) async throws {
        self.root = root
        let folder = try TemporaryFolder("nginx")
        self.folder = folder
        port = try FreePort.next()
        let limit = bytesPerSecond.map { "limit_rate \($0);" } ?? ""
        let user = geteuid() == 0 ? "user root;" : ""
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder.path)/\($0);" }.joined(separator: " ")
        let configuration = """
            daemon off; master_process off; \(user) pid \(folder.path)/pid; error_log \(folder.path)/error.log warn;
            events { worker_connections 1024; }
            http {
                \(temporary)
                log_format facts '$request_time $status $body_bytes_sent "$http_range" "$sent_http_content_range" $uri';
                access_log \(folder.path)/access.log facts;
                types { video/mp4 mp4; audio/mp4 m4a; text/html html; application/vnd.apple.mpegurl m3u8; }
                default_type application/octet-stream;
                sendfile on; tcp_nopush off; tcp_nodelay on; keepalive_requests 1000000;
                server {
                    listen 127.0.0.1:\(port);
                    root \(root);
                    \(limit)
                    location = /status { stub_status; access_log off; }
                }
            }
            """
        try configuration.write(toFile: folder.file("nginx.conf"), atomically: true, encoding: .utf8)
        process = try ChildProcess(
            Peer.required("nginx"),
            ["-p", folder.path, "-c", folder.file("nginx.conf"), "-e", folder.file("error.log")])
        let status = url("status")
        _ = try await eventually("nginx responds") {
            if let ending = process.ending { throw HarnessError("nginx: \(ending): \(process.errorText)") }
            return try? HTTPConnection(to: status).request(status).status
        }
    }

    deinit { stop() }

    func stop() { process.signal(SIGKILL) }

    func url(_ path: String) -> URL { URL(string: "http://127.0.0.1:\(port)/\(path)") ?? URL(fileURLWithPath: "/") }

    /// Waits until all responses have ended, because nginx logs a response at its end. Returns the log.
    func log() async throws -> OriginLog {
        let status = url("status")
        try await eventually("the origin has no response running", within: .seconds(30)) {
            let connection = try HTTPConnection(to: status)
            _ = try connection.request(status)
            let text = String(decoding: try connection.body(), as: UTF8.self)
            // "Reading: 0 Writing: 1 Waiting: 0" counts only the response to this status request.
            return text.contains("Reading: 0 Writing: 1 ") ? () : nil
        }
        return try OriginLog(String(contentsOfFile: folder.file("access.log"), encoding: .utf8))
    }
}
