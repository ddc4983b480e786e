import Foundation
import MediaCache

/// The resource and range requested by a background transfer. It is stored in the task's description, because the task
/// outlives the app.
struct BackgroundRequest: Sendable, Hashable, Codable {
    /// The URL of the resource.
    var url: String
    /// The requested byte range; nil for all bytes.
    var range: Range<Int64>?
    /// The raw value of the resource kind.
    var kind: String
    /// Whether redirects may lead only to public addresses.
    var isPublic: Bool

    init(_ url: ResourceURL, _ range: Range<Int64>?, _ kind: ResourceKind, isPublic: Bool) {
        self.url = url.description
        self.range = range
        self.kind = kind.rawValue
        self.isPublic = isPublic
    }

    /// Parses a task's description. Returns nil for a task that wasn't created by ``BackgroundTransfers``.
    init?(_ description: String?) {
        guard let description, let request = try? JSONDecoder().decode(Self.self, from: Data(description.utf8)) else {
            return nil
        }
        self = request
    }

    func description() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
}
