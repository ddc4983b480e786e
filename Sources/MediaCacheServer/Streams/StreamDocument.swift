import Foundation
import HLS
import MediaCache

/// A JSON document that a playlist names, whose references have to come back through the server too.
public struct StreamDocument: Sendable {
    /// What it is; the playlist's attribute tells.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A list of interstitials: X-ASSET-LIST (RFC 8216bis appendix D.2).
        case assets
        /// A steering manifest: SERVER-URI of EXT-X-CONTENT-STEERING (RFC 8216bis §7.2).
        case steering

        /// The kind of a reference of this role; nil if it isn't such a document.
        init?(_ role: ReferenceRole) {
            switch role {
            case .interstitialAssetList: self = .assets
            case .steeringManifest: self = .steering
            default: return nil
            }
        }
    }

    let kind: Kind
    let bytes: [UInt8]

    /// The document with its references replaced.
    ///
    /// - Parameter replacement: the new URI of a reference; nil leaves it.
    /// - Throws: `CacheError` with `badResponse` for a document that can't be read: a player might read it, with the
    ///   references in it. The errors of `replacement`.
    func rewritten(_ replacement: (String) throws(CacheError) -> String?) throws(CacheError) -> [UInt8] {
        guard var object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] else {
            throw CacheError(.badResponse, "the document (\(kind.rawValue)) isn't a JSON object")
        }
        switch kind {
        case .assets:
            guard let assets = object["ASSETS"] as? [[String: Any]] else {
                throw CacheError(.badResponse, "the list of interstitials has no array ASSETS of objects")
            }
            object["ASSETS"] = try assets.map { (asset) throws(CacheError) -> [String: Any] in
                var asset = asset
                if let uri = asset["URI"] as? String, let other = try replacement(uri) { asset["URI"] = other }
                return asset
            }
        case .steering:
            if let uri = object["RELOAD-URI"] as? String, let other = try replacement(uri) {
                object["RELOAD-URI"] = other
            }
            // A clone puts another host into every URI. The host of all of them is this server's.
            object["PATHWAY-CLONES"] = nil
        }
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? JSONSerialization.data(withJSONObject: object, options: options) else {
            throw CacheError(.badResponse, "the document (\(kind.rawValue)) can't be written as JSON")
        }
        return [UInt8](data)
    }
}
