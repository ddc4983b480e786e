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
        // The error of `.iso8601` doesn't contain the coding path.
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let date = try? Date(text, strategy: .iso8601) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "it isn't an ISO 8601 date")
            }
            return date
        }
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
