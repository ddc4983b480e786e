import Foundation
import MediaCache

/// What a transfer of the system's is to bring. It's the task's description, since the task outlives the app.
struct BackgroundWish: Sendable, Hashable, Codable {
    /// The resource.
    var url: String
    /// Its bytes; nil for all.
    var range: Range<Int64>?
    /// What it is to the content.
    var kind: String
    /// Whether it's at a public address.
    var isPublic: Bool

    init(_ url: ResourceURL, _ range: Range<Int64>?, _ kind: ResourceKind, isPublic: Bool) {
        self.url = url.description
        self.range = range
        self.kind = kind.rawValue
        self.isPublic = isPublic
    }

    /// The wish that a task's description says; nil for a task of somebody else's.
    init?(_ description: String?) {
        guard let description, let wish = try? JSONDecoder().decode(Self.self, from: Data(description.utf8)) else {
            return nil
        }
        self = wish
    }

    /// The task's description.
    func description() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
}
