import Foundation
import MediaCacheAPI

/// The requested page of a list, from the query items `limit` and `after`.
struct PageRequest {
    /// The maximum number of items, from 1 to 1,000; nil for the default.
    let limit: Int?
    /// The cursor, which is `next` of the previous page; nil for the first page.
    let after: String?

    init(_ request: RouteRequest) throws {
        after = request.queryItem("after")
        if let after, !after.utf8.allSatisfy(\.isNameByte) { throw Self.invalidCursor(after) }
        guard let text = request.queryItem("limit") else {
            limit = nil
            return
        }
        guard let number = Int(text), (1...1000).contains(number) else {
            throw Problem.badRequest("limit must be a number from 1 to 1000, not “\(text)”")
        }
        limit = number
    }

    /// Returns the position after which the page begins; nil for the first page.
    ///
    /// - Throws: ``Problem`` if the cursor isn't an encoded `Key`.
    func position<Key: Decodable>(as type: Key.Type) throws -> Key? {
        guard let after else { return nil }
        guard let data = decodeBase64URL(after), let key = try? APICoding.makeDecoder().decode(type, from: data) else {
            throw Self.invalidCursor(after)
        }
        return key
    }

    private static func invalidCursor(_ after: String) -> Problem {
        .badRequest("after must be the value of next in the previous page, not “\(after)”")
    }
}

/// A page of a list, and the cursor of the next page.
///
/// A cursor is a position in the list's order rather than an index, so that additions and removals between requests
/// don't shift the pages.
struct Page<Item> {
    let items: [Item]
    /// The cursor of the next page; nil on the last page.
    let next: String?

    /// Creates a page of a list. A list that fits into one page keeps its order.
    ///
    /// - Parameters:
    ///   - cap: The maximum number of items if the request doesn't set one.
    ///   - key: Returns the unique position of an item in the list's order.
    /// - Throws: ``Problem`` if the cursor isn't an encoded `Key`.
    init<Key: Comparable & Codable>(
        _ items: [Item], of request: PageRequest, cap: Int? = nil, by key: (Item) -> Key
    ) throws {
        let limit = request.limit ?? cap ?? items.count
        guard request.after != nil || items.count > limit else {
            (self.items, next) = (items, nil)
            return
        }
        var placed = items.map { (key: key($0), item: $0) }.sorted { $0.key < $1.key }
        if let last = try request.position(as: Key.self) { placed.removeAll { $0.key <= last } }
        next = placed.count > limit ? base64URL(try APICoding.makeEncoder().encode(placed[limit - 1].key)) : nil
        self.items = placed.prefix(limit).map(\.item)
    }
}

/// A position in a list that is ordered by two values. The second value makes it unique.
struct SortKey<Major: Comparable & Codable, Minor: Comparable & Codable>: Comparable, Codable {
    let major: Major
    let minor: Minor

    init(_ major: Major, _ minor: Minor) {
        self.major = major
        self.minor = minor
    }

    static func < (a: SortKey, b: SortKey) -> Bool { (a.major, a.minor) < (b.major, b.minor) }
}
