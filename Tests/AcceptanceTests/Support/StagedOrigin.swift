import Foundation

/// An origin whose answers for some paths wait until a test lets them go, and whose texts change when the test says so:
/// what a command tells meanwhile is then the same however slow the machine is.
final class StagedOrigin: Sendable {
    private final class Stage: @unchecked Sendable {
        // The condition guards both.
        private var held: Set<String>
        private var number = 0
        private let condition = NSCondition()

        init(_ held: Set<String>) { self.held = held }

        /// Waits until a path is let go; gives how often the test went on.
        func pass(_ path: String) -> Int {
            let deadline = Date() + 120
            return condition.withLock {
                while held.contains(path), condition.wait(until: deadline) {}
                return number
            }
        }

        func release(_ path: String?) {
            condition.withLock {
                if let path { held.remove(path) } else { held = [] }
                condition.broadcast()
            }
        }

        func goOn() { condition.withLock { number += 1 } }
    }

    private let stage: Stage
    private let origin: ScriptedOrigin

    /// Starts it.
    ///
    /// - Parameters:
    ///   - folder: what it serves.
    ///   - held: the paths that wait.
    ///   - texts: what lies at further paths, by how often the test went on.
    init(
        serving folder: String, holding held: Set<String>, texts: @escaping @Sendable (String, Int) -> String?
    ) throws {
        let stage = Stage(held)
        self.stage = stage
        origin = try ScriptedOrigin { request in
            let path = String(request.path.dropFirst())
            let number = stage.pass(path)
            let text = texts(path, number).map { Data($0.utf8) }
            guard let body = text ?? FileManager.default.contents(atPath: "\(folder)/\(path)") else {
                return .init(status: 404)
            }
            let type =
                switch (path as NSString).pathExtension {
                case "m3u8": "application/vnd.apple.mpegurl"
                case "mp4": "video/mp4"
                case "ts": "video/mp2t"
                default: "application/octet-stream"
                }
            return .init(fields: ["Content-Type": type, "ETag": "\"\(path)-\(body.count)\""], body: body)
        }
    }

    deinit { stage.release(nil) }

    /// Lets the answers for a path go.
    func release(_ path: String) { stage.release(path) }

    /// From now on the texts are the next ones.
    func goOn() { stage.goOn() }

    /// The URL of a path.
    func url(_ path: String) -> String { origin.url(path).absoluteString }
}
