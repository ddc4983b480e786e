import Foundation

/// A server that sends the file `a` over TLS: openssl's test server in a temporary folder.
final class TLSServer {
    let port: Int
    private let process = Process()
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let files = [
            "certificate.pem": TLSFixture.certificate, "key.pem": TLSFixture.key,
            "a": "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret",
        ]
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "openssl", "s_server", "-HTTP", "-accept", "127.0.0.1:0", "-cert", "certificate.pem", "-key", "key.pem",
        ]
        process.currentDirectoryURL = folder
        process.standardOutput = output
        try process.run()
        // The line `ACCEPT 127.0.0.1:<port>`.
        var text = ""
        while !text.contains(#/ACCEPT .*\n/#) {
            let bytes = output.fileHandleForReading.availableData
            guard !bytes.isEmpty else { break }
            text += String(decoding: bytes, as: UTF8.self)
        }
        port = text.firstMatch(of: #/ACCEPT .*:(\d+)/#).flatMap { Int($0.output.1) } ?? 0
    }

    deinit {
        // openssl may ignore SIGTERM, because child processes inherit ignored signals.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }
}
