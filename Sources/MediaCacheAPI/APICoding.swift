public import Foundation

/// The JSON encoding of the API's values: dates in ISO 8601 and whole seconds, keys sorted, slashes unescaped.
public enum APICoding {
    /// Returns a new encoder.
    public static func makeEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    /// Returns a new decoder.
    public static func makeDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }
}

/// A list in the API, in pages if the request sets `?limit=`. A timeline is always paged.
public protocol PagedList: Codable, Sendable {
    /// The type of the list's items.
    associatedtype Item: Sendable

    /// The items of this page.
    var items: [Item] { get }

    /// The cursor of the next page, for `?after=`; null on the last page.
    var next: String? { get }
}
