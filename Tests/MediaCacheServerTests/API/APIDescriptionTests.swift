import Foundation
import Testing

@testable import MediaCacheServer

/// Tests that compare `docs/openapi.yaml` with the routes. `Scripts/check-api.sh` compares the responses.
struct APIDescriptionTests {
    /// The described methods of each path.
    private let described: [String: Set<String>]
    /// The statuses of each operation, such as `GET /api/v1/server`.
    private let statuses: [String: Set<Int>]

    init() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/openapi.yaml")
        var described: [String: Set<String>] = [:]
        var statuses: [String: Set<Int>] = [:]
        var (path, operation) = ("", "")
        for line in try String(contentsOf: file.standardized, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("components:") { break }
            if line.hasPrefix("        \""), let status = Int(line.dropFirst(9).prefix(3)) {
                statuses[operation, default: []].insert(status)
            }
            guard line.hasSuffix(":") else { continue }
            if line.hasPrefix("  /") {
                path = String(line.dropFirst(2).dropLast())
                described[path] = []
            } else if line.hasPrefix("    "), !line.hasPrefix("     "),
                ["get", "put", "post", "patch", "delete"].contains(line.dropFirst(4).dropLast())
            {
                let method = line.dropFirst(4).dropLast().uppercased()
                described[path]?.insert(method)
                operation = "\(method) \(path)"
            }
        }
        self.described = described
        self.statuses = statuses
        try #require(described.count > 20)
    }

    @Test func describesEveryRoute() async throws {
        try await CacheHost.use { host in
            for path in host.server.paths where path.hasPrefix("/api/") || path.hasPrefix("/live/") {
                let isDescribed =
                    path.hasSuffix("/") ? described.keys.contains { $0.hasPrefix(path) } : described[path] != nil
                #expect(isDescribed, "docs/openapi.yaml doesn't describe \(path)")
            }
        }
    }

    /// No path supports `OPTIONS`. The refusal lists the supported methods.
    @Test func supportsDescribedMethods() async throws {
        try await CacheHost.use { host in
            for (template, methods) in described where template.hasPrefix("/api/") {
                let answer = try await host.call("OPTIONS", Self.path(template))
                #expect(answer.status == 405, "\(template): \(answer.text)")
                let allowed = Set(answer.fields["allow"]?.split(separator: ", ").map(String.init) ?? [])
                #expect(allowed.subtracting(["HEAD"]) == methods, "\(template)")
            }
        }
    }

    /// Sends a failing condition and malformed names to each path.
    @Test func describesRefusalsOfEveryOperation() async throws {
        try await CacheHost.use { host in
            for (template, methods) in described
            where template.hasPrefix("/api/") && template != "/api/v1/events" {
                for method in methods {
                    let known = try #require(statuses["\(method) \(template)"])
                    let stale = try await host.call(method, Self.path(template), "If-Match: \"another\"")
                    #expect(known.contains(stale.status), "\(method) \(template) under If-Match: \(stale.status)")
                    #expect(known.contains(412) && known.contains(400), "\(method) \(template)")
                    guard template.contains("{id}") || template.contains("{name}") else { continue }
                    let odd = Self.path(template.replacing("{id}", with: "No.1").replacing("{name}", with: ".No"))
                    let answer = try await host.call(method, odd)
                    #expect(answer.status == 404 && known.contains(404), "\(method) \(odd): \(answer.status)")
                }
            }
        }
    }

    /// Returns the path of a template with plausible names.
    private static func path(_ template: String) -> String {
        let isNumbered = ["/api/v1/resources", "/api/v1/played"].contains { template.hasPrefix($0) }
        let number = isNumbered ? "1" : "aaaaaaaaaaaa"
        return template.replacing("{id}", with: number).replacing("{format}", with: "mp4").replacing("{", with: "")
            .replacing("}", with: "")
    }
}
