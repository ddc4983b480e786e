import Foundation

/// An nginx server with two workers as a peer: a file server, or a cache in front of an origin.
final class NginxPeer: Sendable {
    let port: Int
    private let folder: TemporaryFolder
    let process: ChildProcess

    /// Starts a server that serves a folder with sendfile.
    convenience init(serving root: String) async throws {
        try await self.init(location: "root \(root);") { _ in "" }
    }

    /// Starts a server that caches an origin in slices of 1 MiB.
    convenience init(caching origin: NginxOrigin) async throws {
        let location = """
            slice 1m;
            proxy_cache slices;
            proxy_cache_key $uri$is_args$args$slice_range;
            proxy_cache_valid 200 206 1h;
            proxy_cache_lock on;
            proxy_set_header Range $slice_range;
            proxy_set_header Connection "";
            proxy_http_version 1.1;
            proxy_pass http://origin;
            """
        try await self.init(location: location) { folder in
            """
            upstream origin { server 127.0.0.1:\(origin.port); keepalive 16; }
            proxy_cache_path \(folder)/slices levels=1:2 keys_zone=slices:10m max_size=4g use_temp_path=off;
            """
        }
    }

    /// Starts a server that serves a folder over TLS, with HTTP/1.1 or HTTP/2 as the client chooses. `certificate` and
    /// `key` are the paths of PEM files.
    convenience init(serving root: String, certificate: String, key: String) async throws {
        try await self.init(location: "root \(root);", listen: " ssl http2") { _ in
            "ssl_certificate \(certificate); ssl_certificate_key \(key);"
        }
    }

    private init(location: String, listen: String = "", http: (_ folder: String) -> String) async throws {
        let folder = try TemporaryFolder("nginx-peer")
        self.folder = folder
        port = try FreePort.next()
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder.path)/\($0);" }.joined(separator: " ")
        let configuration = """
            daemon off; worker_processes 2; \(geteuid() == 0 ? "user root;" : "") pid \(folder.path)/pid;
            error_log \(folder.path)/error.log warn;
            events { worker_connections 1024; }
            http {
                \(temporary)
                access_log off;
                sendfile on; tcp_nopush off; tcp_nodelay on; keepalive_requests 100000000;
                \(http(folder.path))
                server {
                    listen 127.0.0.1:\(port)\(listen);
                    location / { \(location) }
                }
            }
            """
        try configuration.write(toFile: folder.file("nginx.conf"), atomically: true, encoding: .utf8)
        process = try ChildProcess(
            Peer.required("nginx"),
            ["-p", folder.path, "-c", folder.file("nginx.conf"), "-e", folder.file("error.log")])
        let probe = url("")
        _ = try await eventually("nginx listens") {
            if let ending = process.ending { throw HarnessError("nginx: \(ending): \(process.errorText)") }
            return try? HTTPConnection(to: probe)
        }
    }

    deinit { process.signal(SIGTERM) }

    func stop() async throws {
        process.signal(SIGTERM)
        try await process.end(within: .seconds(10))
    }

    func url(_ path: String) -> URL { URL(string: "http://127.0.0.1:\(port)/\(path)") ?? URL(fileURLWithPath: "/") }
}
