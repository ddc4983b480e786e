import Foundation
import HLS
import MediaCache

/// A JSON document that a playlist references. References in it are rewritten to lead through the server.
public struct StreamDocument: Sendable {
    /// The kind of document, determined by the playlist attribute that references it.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The asset list of an interstitial: X-ASSET-LIST (RFC 8216bis appendix D.2).
        case assets
        /// A steering manifest: SERVER-URI of EXT-X-CONTENT-STEERING (RFC 8216bis §7.2).
        case steering

        /// The name in messages.
        var name: String {
            switch self {
            case .assets: "the interstitial's asset list"
            case .steering: "the steering manifest"
            }
        }

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

    /// Returns the document with replaced references. The pathway clones of a steering manifest are removed.
    ///
    /// - Parameter replacement: Returns the new URI of a reference; nil to keep the reference.
    /// - Throws: `CacheError` with `badResponse` if the document is malformed, since a player might parse it
    ///   differently; the errors of `replacement`.
    func rewritten(_ replacement: (String) throws(CacheError) -> String?) throws(CacheError) -> [UInt8] {
        guard var object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] else {
            throw CacheError(.badResponse, "\(kind.name) isn't a JSON object")
        }
        switch kind {
        case .assets:
            guard let assets = object["ASSETS"] as? [[String: Any]] else {
                throw CacheError(.badResponse, "the interstitial's asset list has no ASSETS array of objects")
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
            // Clones replace the host in URIs, but all URIs have this server's host.
            object["PATHWAY-CLONES"] = nil
        }
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? JSONSerialization.data(withJSONObject: object, options: options) else {
            throw CacheError(.badResponse, "\(kind.name) can't be written as JSON")
        }
        return [UInt8](data)
    }
}
