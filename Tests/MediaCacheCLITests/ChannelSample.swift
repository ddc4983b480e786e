import Foundation
import MediaCacheAPI
import MediaCacheServer

/// Sample channels of the API.
enum ChannelSample {
    /// Returns a channel with one recorded minute.
    ///
    /// - Parameter changes: Changed values of its JSON; `DownloadSample.absent` removes a key.
    static func record(_ name: String = "news", _ changes: [String: any Sendable] = [:]) throws -> ChannelRecord {
        var object: [String: Any] = [
            "name": name, "url": "http://h/\(name).m3u8", "state": "recording", "edge": 1_769_890_560_000,
            "recordedRanges": [["from": 1_769_890_500_000, "to": 1_769_890_560_000]], "bytes": 5_000_000,
            "segments": 20,
            "gaps": 0, "gapSeconds": 0, "rate": 80_000, "tracks": ["video-1"], "retention": [String: Int](),
            "created": "2026-01-31T20:15:00Z", "programmes": [Int](), "liveURL": "http://127.0.0.1:1/live/\(name)/",
        ]
        for (key, value) in changes { object[key] = value }
        object = object.filter { ($0.value as? String) != DownloadSample.absent }
        let data = try JSONSerialization.data(withJSONObject: object)
        return try APICoding.makeDecoder().decode(ChannelRecord.self, from: data)
    }

    static func empty(_ changes: [String: any Sendable] = [:]) throws -> ChannelRecord {
        let nothing: [String: any Sendable] = [
            "edge": DownloadSample.absent, "recordedRanges": [Int](), "bytes": 0, "segments": 0, "rate": 0,
        ]
        return try record("news", nothing.merging(changes) { $1 })
    }

    static func gap(_ number: Int64, track: String = "video-1") throws -> TimelineRecord.Segment {
        let object: [String: Any] = [
            "track": track, "number": number, "start": 1_769_890_500_000 + number * 4000, "duration": 4.0, "gap": true,
            "discontinuity": false, "bytes": 0,
        ]
        let data = try JSONSerialization.data(withJSONObject: object)
        return try APICoding.makeDecoder().decode(TimelineRecord.Segment.self, from: data)
    }
}
