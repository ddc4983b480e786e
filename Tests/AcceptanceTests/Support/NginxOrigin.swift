import Foundation

/// nginx serving a folder, as the origin: one process, a configuration of its own, on a free loopback port.
final class NginxOrigin: Sendable {
    let port: Int
    /// The folder it serves.
    let root: String
    private let folder: TemporaryFolder
    private let process: ChildProcess

    /// Starts it.
    /// - Parameter bytesPerSecond: the rate of each response, as nginx's `limit_rate` has it; nil for no limit.
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
        _ = try await eventually("nginx answers") {
            if let ending = process.ending { throw HarnessError("nginx: \(ending): \(process.errorText)") }
            return try? HTTPConnection(to: status).request(status).status
        }
    }

    deinit { stop() }

    /// Ends it at once.
    func stop() { process.signal(SIGKILL) }

    /// The URL of a file in its folder.
    func url(_ path: String) -> URL { URL(string: "http://127.0.0.1:\(port)/\(path)") ?? URL(fileURLWithPath: "/") }

    /// What it served so far, once every response has ended: nginx logs a response at its end.
    func log() async throws -> OriginLog {
        let status = url("status")
        try await eventually("the origin has no response running", within: .seconds(30)) {
            let connection = try HTTPConnection(to: status)
            _ = try connection.request(status)
            let text = String(decoding: try connection.body(), as: UTF8.self)
            // "Reading: 0 Writing: 1 Waiting: 0": the one being written is this very answer.
            return text.contains("Reading: 0 Writing: 1 ") ? () : nil
        }
        return try OriginLog(String(contentsOfFile: folder.file("access.log"), encoding: .utf8))
    }
}
