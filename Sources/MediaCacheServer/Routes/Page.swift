import Foundation
import MediaCacheAPI

/// Which part of a list is wanted, by the query items `limit` and `after`.
struct PageRequest {
    /// How many items at most, from 1 to 1,000; nil for as many as there may be.
    let limit: Int?
    /// What the page before ended with, as its `next` says.
    let after: String?

    /// - Throws: ``Problem`` for what can't be.
    init(_ request: RouteRequest) throws {
        after = request.queryItem("after")
        if let after, !after.utf8.allSatisfy(Self.isUnreserved) { throw Self.wrongPlace(after) }
        guard let text = request.queryItem("limit") else {
            limit = nil
            return
        }
        guard let number = Int(text), (1...1000).contains(number) else {
            throw Problem.badRequest("limit is a number from 1 to 1000, not “\(text)”")
        }
        limit = number
    }

    static func wrongPlace(_ after: String) -> Problem {
        .badRequest("after is what the page before says as next, not “\(after)”")
    }

    /// Whether it's a digit of base64url (RFC 4648 §5).
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
        default: false
        }
    }
}

/// A part of a list, and where the next one begins.
///
/// A page begins after a place in the order of the list, not after so many items: what comes and goes meanwhile shifts
/// nothing.
struct Page<Item> {
    /// What is in it.
    let items: [Item]
    /// Where the next one begins; nil where there is none.
    let next: String?

    /// Cuts a page out of a list. A list that nobody wants in pages stays as it is.
    ///
    /// - Parameters:
    ///   - items: all of the list.
    ///   - request: which part is wanted.
    ///   - cap: how many there are at most where the request doesn't say.
    ///   - place: where an item stands in the list's order; no two stand at the same place.
    /// - Throws: ``Problem`` for an `after` that is none of this list.
    init<Place: Comparable & Codable>(
        _ items: [Item], of request: PageRequest, cap: Int? = nil, by place: (Item) -> Place
    ) throws {
        let limit = request.limit ?? cap ?? items.count
        guard request.after != nil || items.count > limit else {
            (self.items, next) = (items, nil)
            return
        }
        var placed = items.map { (place: place($0), item: $0) }.sorted { $0.place < $1.place }
        if let after = request.after {
            let last = try Self.place(after, as: Place.self)
            placed.removeAll { $0.place <= last }
        }
        next = placed.count > limit ? try Self.text(of: placed[limit - 1].place) : nil
        self.items = placed.prefix(limit).map(\.item)
    }

    private static func text(of place: some Encodable) throws -> String {
        let text = try APICoding.makeEncoder().encode(place).base64EncodedString()
        return String(text.compactMap { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 == "=" ? nil : $0 })
    }

    private static func place<Place: Decodable>(_ text: String, as type: Place.Type) throws -> Place {
        let standard = String(text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
        let padding = String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: standard + padding),
            let place = try? APICoding.makeDecoder().decode(type, from: data)
        else { throw PageRequest.wrongPlace(text) }
        return place
    }
}

/// A place in a list that is ordered by two things, the second of which tells apart what the first doesn't.
struct Place<Major: Comparable & Codable, Minor: Comparable & Codable>: Comparable, Codable {
    let major: Major
    let minor: Minor

    init(_ major: Major, _ minor: Minor) {
        self.major = major
        self.minor = minor
    }

    static func < (a: Place, b: Place) -> Bool { (a.major, a.minor) < (b.major, b.minor) }
}
