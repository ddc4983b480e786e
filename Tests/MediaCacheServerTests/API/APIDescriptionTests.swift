import Foundation
import MediaCacheTesting
import Testing

@testable import MediaCacheServer

/// `docs/openapi.yaml` beside the routes that there are. What they answer is compared by `Scripts/check-api.sh`.
struct APIDescriptionTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "host-\(UUID())").path
    /// The methods of each path, as the description has them.
    private let described: [String: Set<String>]

    init() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/openapi.yaml")
        var described: [String: Set<String>] = [:]
        var path = ""
        for line in try String(contentsOf: file.standardized, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("components:") { break }
            guard line.hasSuffix(":") else { continue }
            if line.hasPrefix("  /") {
                path = String(line.dropFirst(2).dropLast())
                described[path] = []
            } else if line.hasPrefix("    "), !line.hasPrefix("     "),
                ["get", "put", "post", "patch", "delete"].contains(line.dropFirst(4).dropLast())
            {
                described[path]?.insert(line.dropFirst(4).dropLast().uppercased())
            }
        }
        self.described = described
        try #require(described.count > 20)
    }

    private func withHost(_ body: (CacheHost) async throws -> Void) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await CacheHost.use(folder: folder, origin: ScriptedOrigin(), { _ in }, body)
    }

    @Test func everyRouteIsDescribed() async throws {
        try await withHost { host in
            for path in host.server.paths where path.hasPrefix("/api/") {
                let isDescribed =
                    path.hasSuffix("/") ? described.keys.contains { $0.hasPrefix(path) } : described[path] != nil
                #expect(isDescribed, "docs/openapi.yaml says nothing of \(path)")
            }
        }
    }

    /// No path takes `OPTIONS`, and the refusal names what it takes.
    @Test func everyPathTakesTheMethodsDescribed() async throws {
        try await withHost { host in
            for (template, methods) in described {
                let answer = try await host.ask("OPTIONS", Self.path(template))
                #expect(answer.status == 405, "\(template): \(String(decoding: answer.body, as: UTF8.self))")
                let allowed = Set(answer.fields["allow"]?.split(separator: ", ").map(String.init) ?? [])
                #expect(allowed.subtracting(["HEAD"]) == methods, "\(template)")
            }
        }
    }

    /// A path of a template, with names that might be.
    private static func path(_ template: String) -> String {
        let isNumbered = ["/api/v1/resources", "/api/v1/played"].contains { template.hasPrefix($0) }
        let number = isNumbered ? "1" : "aaaaaaaaaaaa"
        return template.replacing("{id}", with: number).replacing("{format}", with: "mp4").replacing("{", with: "")
            .replacing("}", with: "")
    }
}
