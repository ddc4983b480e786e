import Foundation

/// An origin that delays the responses for some paths until the test releases them, and whose texts change with the
/// stages of the test. A command's output therefore doesn't depend on the speed of the machine.
final class StagedOrigin: Sendable {
    private final class Stage: @unchecked Sendable {
        // Unchecked because the condition protects both properties.
        private var held: Set<String>
        private var number = 0
        private let condition = NSCondition()

        init(_ held: Set<String>) { self.held = held }

        /// Waits at most two minutes until a path is released, and returns the number of the stage.
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

        func startNextStage() { condition.withLock { number += 1 } }
    }

    private let stage: Stage
    private let origin: ScriptedOrigin

    /// - Parameters:
    ///   - held: The paths whose responses are delayed.
    ///   - texts: Returns the text at a path in a stage; nil for a path of the folder.
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

    func release(_ path: String) { stage.release(path) }

    func startNextStage() { stage.startNextStage() }

    func url(_ path: String) -> String { origin.url(path).absoluteString }
}
