import Foundation

/// A running `mediacache serve` or `demo` with a cache folder and a free port.
final class RunningServer: Sendable {
    let cache: String
    /// The server's URL: `http://127.0.0.1:PORT`.
    let base: URL
    let process: ChildProcess

    init(cache: String, command: [String] = ["serve", "--min-free", "0"]) async throws {
        self.cache = cache
        process = try ChildProcess(MediaCacheBinary.path, command + ["--port", "0", "--cache", cache])
        base = try await process.line(within: .seconds(20)) { line in
            line.hasPrefix("Listening on ") ? URL(string: String(line.dropFirst("Listening on ".count))) : nil
        }
    }

    deinit {
        if case .signal(let signal) = process.ending, signal != SIGKILL {
            print("mediacache crashed with signal \(signal): \(process.errorText.prefix(8000))")
        }
        kill()
    }

    /// Returns the playback URL of `url`, as printed by the command.
    func play(_ url: URL) async throws -> URL {
        let text = try await MediaCacheBinary.output(["url", url.absoluteString, "--cache", cache])
        guard let url = URL(string: text) else { throw HarnessError("mediacache url printed no URL: \(text)") }
        return url
    }

    func key() async throws -> String { try await MediaCacheBinary.output(["key", "show", "--cache", cache]) }

    /// Returns the standing playback token, which the playback URLs of `mediacache url` contain.
    func playbackToken() async throws -> String {
        let path = try await play(base).path.split(separator: "/")
        guard path.count > 1, path[0] == "play" else { throw HarnessError("the playback URL has no token: \(path)") }
        return String(path[1])
    }

    /// Stops the server as a service manager does. Throws an error unless it exits with code 0.
    func stop(within limit: Duration = .seconds(30)) async throws {
        process.signal(SIGTERM)
        let ending = try await process.end(within: limit)
        guard ending == .exit(0) else { throw HarnessError("serve: \(ending): \(process.errorText.suffix(2000))") }
    }

    func kill() { process.signal(SIGKILL) }

    /// Returns the body of a successful GET request to the API.
    func api(_ path: String) async throws -> Data {
        let (status, body) = try call("GET", path, key: try await key())
        guard status == 200 else { throw HarnessError("\(path): \(status) \(String(decoding: body, as: UTF8.self))") }
        return body
    }

    /// Sends a request to the API, and returns the status and body.
    func call(_ method: String, _ path: String, key: String, _ content: String? = nil) throws -> (Int, Data) {
        guard let url = URL(string: path, relativeTo: base)?.absoluteURL else {
            throw HarnessError("invalid path: \(path)")
        }
        let connection = try HTTPConnection(to: url)
        var fields = ["Authorization": "Bearer \(key)"]
        if content != nil { fields["Content-Type"] = "application/json" }
        let head = try connection.request(url, method: method, fields: fields, content: content.map { Data($0.utf8) })
        return (head.status, try connection.body())
    }

    /// Returns the sum of all samples of a metric.
    func metric(_ name: String) throws -> Int64 {
        let url = base.appendingPathComponent("metrics")
        let connection = try HTTPConnection(to: url)
        _ = try connection.request(url)
        let lines = String(decoding: try connection.body(), as: UTF8.self).split(separator: "\n")
        let values = lines.filter { $0.hasPrefix(name + " ") || $0.hasPrefix(name + "{") }
            .compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
        guard !values.isEmpty else { throw HarnessError("/metrics has no \(name)") }
        return Int64(values.reduce(0, +))
    }

    /// The server's peak resident memory in bytes; nil if the system doesn't report it.
    var peakResidentBytes: Int? {
        let text = try? String(contentsOfFile: "/proc/\(process.processID)/status", encoding: .utf8)
        let line = text?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return line?.split(separator: " ").dropLast().last.flatMap { Int($0) }.map { $0 << 10 }
    }
}
