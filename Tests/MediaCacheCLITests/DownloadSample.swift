import Foundation
import MediaCacheAPI
import MediaCacheServer

/// Sample downloads of the API.
enum DownloadSample {
    /// The value that removes a key.
    static let absent = "absent"

    /// - Parameter changes: Changed values of the record's JSON.
    static func record(
        _ id: String = "aaaaaaaaaaaa", _ changes: [String: any Sendable] = [:]
    ) throws -> DownloadRecord {
        var object: [String: Any] = [
            "id": id, "url": "http://h/\(id).mp4", "withCredentials": false, "title": "Film \(id.prefix(1))",
            "kind": "file", "state": "running", "bytes": 250, "length": 1000, "isLengthExact": true, "partsDone": 0,
            "parts": 1, "rate": 50.0, "secondsReady": 0, "priority": 0, "added": "2026-01-02T03:04:05Z",
            "variant": "best", "audio": "standard", "subtitles": "all", "headerNames": [String](), "holeCount": 0,
        ]
        for (key, value) in changes { object[key] = value }
        object = object.filter { ($0.value as? String) != absent }
        let data = try JSONSerialization.data(withJSONObject: object)
        return try APICoding.makeDecoder().decode(DownloadRecord.self, from: data)
    }

    static func reason(_ code: String, _ message: String) -> [String: any Sendable] {
        ["code": code, "message": message, "retryable": true]
    }

    static func hole(_ name: String, start: Double = 4, duration: Double = 4) -> [String: any Sendable] {
        [
            "url": "http://h/\(name)", "role": "mediaSegment", "start": start, "duration": duration,
            "reason": "http://h/\(name) responded with 404", "retryable": false,
        ]
    }
}
